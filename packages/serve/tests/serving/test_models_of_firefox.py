"""The service over a model of Firefox."""

from starlette.testclient import TestClient

from docmt.in_context.context_option import CONTEXT
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.web.app import make_app
from firefox_models import needs_firefox_models

pytestmark = needs_firefox_models


def test_a_service_answers_clients_of_two_apis(en_pt, tmp_path):
    models = Models([Model("en-pt", en_pt)])
    app = make_app(Service.of(ServiceSettings(), models, tmp_path))
    with TestClient(app, "http://localhost") as client:
        asked = {"q": "Good morning, {name}!", "source": "en", "target": "pt"}
        answer = client.post("/translate", json=asked).json()
        assert answer["translatedText"] == "Bom dia, {name}!"
        asked = {"text": ["The <b>red car</b> is mine."], "target_lang": "PT-BR"}
        answer = client.post("/v2/translate", json={**asked, "tag_handling": "html"}).json()
        assert answer["translations"][0]["text"] == "O <b>carro vermelho</b> é meu."


def test_the_texts_of_a_document_are_translated_in_context(en_pt, tmp_path):
    models = Models([Model("en-pt", CONTEXT.load("bundled:en-pt")(en_pt))])
    app = make_app(Service.of(ServiceSettings(), models, tmp_path))
    with TestClient(app, "http://localhost") as client:
        texts = {"q": ["Did you read the letter?", "Yes, I did."], "source": "en", "target": "pt"}
        alone = client.post("/translate", json=texts).json()["translatedText"]
        in_context = client.post("/translate", json={**texts, "document": True}).json()
    assert alone[1] == "Sim, eu fiz."
    assert in_context["translatedText"][1] == "Sim, eu li."
