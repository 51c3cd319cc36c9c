"""The service: translation over HTTP, for clients of LibreTranslate, DeepL and OpenAI, and for
people with a browser.
"""
