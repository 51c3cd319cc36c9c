"""A registry on loopback with two tiny models, English to German and back."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import marian_models


class RegistryServer:
    """Serves a folder, and counts, cuts and refuses on demand.

    Attributes:
        cut: the connection of a model ends after so many bytes; None for whole files.
        asked: paths and ranges of all requests.
    """

    def __init__(self, folder):
        self.folder, self.cut, self.asked = folder, None, []
        outer = self

        class Handler(SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.asked.append((self.path, self.headers.get("Range")))
                path = folder / self.path.lstrip("/")
                if not path.is_file():
                    self.send_error(404)
                    return
                content = path.read_bytes()
                start = int((self.headers.get("Range") or "bytes=0-")[6:].rstrip("-"))
                if start and start >= len(content):
                    self.send_error(416)
                    return
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(content) - start))
                self.end_headers()
                rest = content[start:]
                if outer.cut is not None and ".bin" in self.path:
                    self.wfile.write(rest[: outer.cut])
                    self.close_connection = True
                    return
                self.wfile.write(rest)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def registry(self):
        """The URL of the registry."""
        return f"{self.url}/db/models.json"

    def rewrite(self, change):
        """Change the registry, a dictionary."""
        path = self.folder / "db" / "models.json"
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))


def write_registry(folder, base_url=None, *, made=None):
    """Write a registry into a folder.

    Args:
        made: the folder of the model of each pair; default: two tiny models.
    """
    if made is None:
        made = {pair: folder / "made" / pair for pair in ("en-de", "de-en")}
        for seed, model in enumerate(made.values()):
            model.mkdir(parents=True)
            marian_models.make_firefox(model, seed=seed)
    models = {}
    for pair, model in made.items():
        files = {}
        for key, pattern in (("model", "model.*.bin"), ("vocab", "vocab.*.spm")):
            (of_model,) = model.glob(pattern)
            content = of_model.read_bytes()
            path = f"models/{pair}/{of_model.name}.gz"
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(gzip.compress(content, 1))
            files[key] = {"path": path}
            if key == "model":
                digest = hashlib.sha256(content).hexdigest()
                files[key] |= {"uncompressedSize": len(content), "uncompressedHash": digest}
        files["lexicalShortlist"] = {"path": "models/none.gz"}
        models[pair] = [{"architecture": "tiny", "releaseStatus": "Release", "files": files}]
    (folder / "db").mkdir()
    registry = {"generated": "2026-11-01T00:00:00Z", "models": models}
    if base_url is not None:
        registry["baseUrl"] = base_url
    (folder / "db" / "models.json").write_text(json.dumps(registry))
