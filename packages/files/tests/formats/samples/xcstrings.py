"""Samples of Xcode's string catalogs, with their sources as translations to review, so that filling
them changes nothing."""

import json

CATALOG = """{
  "sourceLanguage" : "en",
  "strings" : {
    "" : {

    },
    "%@ is here now" : {
      "comment" : "A greeting",
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "needs_review",
            "value" : "%@ is here now"
          }
        }
      }
    },
    "%lld" : {

    },
    "brand" : {
      "localizations" : {
        "en" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Brand new"
          }
        }
      },
      "shouldTranslate" : false
    },
    "files" : {
      "extractionState" : "manual",
      "localizations" : {
        "de" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "needs_review",
                  "value" : "%lld file"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "needs_review",
                  "value" : "%lld files"
                }
              }
            }
          }
        },
        "en" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "%lld file"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "%lld files"
                }
              }
            }
          }
        }
      }
    },
    "Is it \\"new\\"?\\nYes, it is." : {
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "needs_review",
            "value" : "Is it \\"new\\"?\\nYes, it is."
          }
        }
      }
    },
    "greeting" : {
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "needs_review",
            "value" : "%@ is here now"
          }
        },
        "en" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "%@ is here now"
          }
        }
      }
    },
    "Old text" : {
      "extractionState" : "stale"
    }
  },
  "version" : "1.0"
}"""

SAMPLES = {"Localizable.xcstrings": CATALOG}

HOSTILE = {
    "deep.xcstrings": '{"sourceLanguage":"en","strings":' + '{"a":' * 100_000,
    "deeper.xcstrings": '{"sourceLanguage":"en","strings":{"one two":{"localizations":{"en":'
    + '{"a":' * 900
    + '{"stringUnit":{"value":"one two"}}'
    + "}" * 900
    + "}}}}",
    "other.xcstrings": '{"a": "one two"}',
    "list.xcstrings": '["one two"]',
    "numbers.xcstrings": '{"sourceLanguage":"en","strings":{"one %#@n@ two":{"localizations":{"en":'
    '{"stringUnit":{"value":"one %#@n@"},"substitutions":{"n":{"argNum":1,"x":1e999,"y":[1,"a"]}}}'
    "}}}}",
    "odd.xcstrings": '{"sourceLanguage":"en","strings":{"one two":5,"a b":{"localizations":[]},'
    '"c d":{"localizations":{"en":"x","ar":{"stringUnit":[]}}},"e f":{"localizations":{"en":'
    '{"variations":{"plural":{"other":7}},"stringUnit":{"value":3}}}}}}',
    "twice.xcstrings": '{"sourceLanguage":"en","strings":{"a b":{},"c d":{},"a b":{},'
    '"\\ud83d x":{}},"strings":{"e f":{},"a b":{"localizations":{}}}}',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    new = {"stringUnit": {"state": "new", "value": ""}}
    strings = {
        f"See %@ on page {n // 2}{' ' * (n % 2)}. Go there": {"localizations": {"de": new}}
        for n in range(paragraphs)
    }
    catalog = {"sourceLanguage": "en", "strings": strings, "version": "1.0"}
    return "long.xcstrings", json.dumps(catalog, indent=2)
