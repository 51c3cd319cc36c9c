"""Every system of docmt-research in small."""

from cases import AS_BERT, SIZE, with_new_systems
from docmt_nmt.systems import EncoderDecoderSettings
from docmt_research.systems.cache_rnnsearch import CacheRNNSearchSettings
from docmt_research.systems.cache_transformer import CacheTransformerSettings
from docmt_research.systems.cadec import CADecSettings
from docmt_research.systems.context_aware_transformer import ContextAwareTransformerSettings
from docmt_research.systems.cross_sentence_rnn import CrossSentenceRNNSettings
from docmt_research.systems.document_transformer import DocumentTransformerSettings
from docmt_research.systems.flat_transformer import FlatTransformerSettings
from docmt_research.systems.han import HANSettings
from docmt_research.systems.hm_gdc_rnnsearch import HMGDCRNNSearchSettings
from docmt_research.systems.multi_encoder_rnn import MultiEncoderRNNSettings
from docmt_research.systems.rnnsearch import RecurrentSettings, RNNSearchSettings
from docmt_research.systems.san import SANSettings

RECURRENT = {"preset": "tiny", "d_model": 16}


def document_transformer(**keys):
    return DocumentTransformerSettings.read({**SIZE, **keys})


def context_aware_transformer(**keys):
    return ContextAwareTransformerSettings.read({**SIZE, **keys})


def flat_transformer(**keys):
    return FlatTransformerSettings.read({**SIZE, **keys})


def han(**keys):
    return HANSettings.read({**SIZE, "context_sentences": 2, **keys})


def san(**keys):
    return SANSettings.read({**SIZE, **keys})


def cadec(**keys):
    return CADecSettings.read({**SIZE, "context_sentences": 2, **keys})


def rnnsearch(**keys):
    return RNNSearchSettings.read({**RECURRENT, **keys})


def cross_sentence_rnn(**keys):
    return CrossSentenceRNNSettings.read({**RECURRENT, **keys})


def hm_gdc_rnnsearch(**keys):
    return HMGDCRNNSearchSettings.read({**RECURRENT, **keys})


def multi_encoder_rnn(**keys):
    return MultiEncoderRNNSettings.read({**RECURRENT, **keys})


def cache_rnnsearch(**keys):
    return CacheRNNSearchSettings.read({**RECURRENT, "cache_size": 5, **keys})


def cache_transformer(**keys):
    return CacheTransformerSettings.read({**SIZE, "cache_size": 5, **keys})


RESEARCH_CASES = {
    "document-transformer, another form": document_transformer(
        decoder_layers=2, activation="gelu", output_bias=True
    ),
    "document-transformer": document_transformer(),
    "document-transformer, pre-norm": document_transformer(norm="pre", context_layers=2),
    "document-transformer, output-norm": document_transformer(norm="output"),
    "document-transformer, own embeddings": document_transformer(share_embeddings=False),
    "document-transformer, encoder only": document_transformer(decoder_context=False),
    "document-transformer, decoder only": document_transformer(encoder_context=False),
    "context-aware-transformer": context_aware_transformer(),
    "context-aware-transformer, pre-norm": context_aware_transformer(norm="pre"),
    "flat-transformer": flat_transformer(),
    "flat-transformer, pre-norm": flat_transformer(norm="pre", top_layers=2),
    "flat-transformer, as BERT": flat_transformer(**AS_BERT, long_context="shorten"),
    "flat-transformer, every layer with context": flat_transformer(top_layers=0),
    "han": han(),
    "han, pre-norm": han(norm="pre", context_gradient=True),
    "han, encoder only": han(integration="encoder"),
    "han, decoder only": han(integration="decoder"),
    "han, no context": HANSettings.read({**SIZE, "integration": "none"}),
    "san": san(),
    "san, offline": san(context="offline", word_weights="sparsemax", context_gradient=True),
    "san, decoder": san(integration="decoder"),
    "san, decoder, offline": san(integration="decoder", context="offline", norm="pre"),
    "san, sentences": san(context_attention="sentence", context="offline"),
    "san, words": san(context_attention="word", norm="pre"),
    "san, decoder, sentences": san(integration="decoder", context_attention="sentence"),
    "san, decoder, words": san(
        integration="decoder", context_attention="word", context="offline", decoder_layers=1
    ),
    "cadec": cadec(),
    "cadec, pre-norm": cadec(norm="pre"),
    "cadec, own embeddings": cadec(share_embeddings=False, decoder_layers=2),
    "cadec, another form": cadec(
        activation="gelu",
        positions="learned",
        max_positions=128,
        normalize_embeddings=True,
        share_output=False,
        output_bias=True,
    ),
    "rnnsearch": rnnsearch(),
    "rnnsearch, one layer": rnnsearch(layers=1),
    "rnnsearch, own embeddings": rnnsearch(layers=3, share_embeddings=False),
    "rnnsearch, of the paper": rnnsearch(
        readout="maxout", share_output=False, scale_embeddings=False, share_embeddings=False
    ),
    "rnnsearch, other sizes": rnnsearch(
        cell="lstm", embedding_dim=10, readout_dim=6, share_output=False, share_embeddings=False
    ),
    "rnnsearch, conditional": rnnsearch(transition="conditional"),
    "multi-encoder-rnn, conditional": multi_encoder_rnn(transition="conditional", layers=1),
    "cross-sentence-rnn, conditional": cross_sentence_rnn(transition="conditional", layers=1),
    "rnnsearch, wide embeddings": rnnsearch(embedding_dim=20, readout="maxout", layers=1),
    "cross-sentence-rnn, other sizes": cross_sentence_rnn(cell="lstm", embedding_dim=10),
    "cross-sentence-rnn": cross_sentence_rnn(),
    "cross-sentence-rnn, plain": cross_sentence_rnn(auxiliary="plain"),
    "cross-sentence-rnn, beginnings only": cross_sentence_rnn(auxiliary="none", layers=1),
    "cross-sentence-rnn, steps only": cross_sentence_rnn(
        initialize_encoder=False, initialize_decoder=False, share_embeddings=False
    ),
    "hm-gdc-rnnsearch": hm_gdc_rnnsearch(),
    "hm-gdc-rnnsearch, encoders apart": hm_gdc_rnnsearch(share_encoders=False, layers=1),
    "hm-gdc-rnnsearch, own output": hm_gdc_rnnsearch(readout="maxout", share_output=False),
    "hm-gdc-rnnsearch, long short-term memory": hm_gdc_rnnsearch(cell="lstm"),
    "hm-gdc-rnnsearch, other sizes": hm_gdc_rnnsearch(share_encoders=False, embedding_dim=10),
    "hm-gdc-rnnsearch, no context": hm_gdc_rnnsearch(integration="none"),
    "multi-encoder-rnn": multi_encoder_rnn(),
    "multi-encoder-rnn, one encoder": multi_encoder_rnn(tied="encoder", layers=1),
    "multi-encoder-rnn, nothing tied": multi_encoder_rnn(tied="none", share_embeddings=False),
    "multi-encoder-rnn, other sizes": multi_encoder_rnn(cell="lstm", embedding_dim=10, tied="none"),
    "cache-rnnsearch, other sizes": cache_rnnsearch(cell="lstm", embedding_dim=10),
    "cache-rnnsearch": cache_rnnsearch(),
    "cache-rnnsearch, another form": cache_rnnsearch(
        layers=1, readout="maxout", share_output=False, cache_size=100
    ),
    "cache-transformer": cache_transformer(),
    "cache-transformer, pre-norm": cache_transformer(norm="pre", cache_size=100),
}

RESEARCH_CASES = with_new_systems(
    RESEARCH_CASES, "docmt_research", EncoderDecoderSettings, RecurrentSettings
)
