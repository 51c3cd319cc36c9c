"""The service: translation over HTTP, for programs that speak LibreTranslate's or DeepL's API, and
for people with a browser. It needs the extra `docmt[server]`.
"""
