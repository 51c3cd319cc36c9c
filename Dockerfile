# `docmt serve`: see docs/how-to/serve.md. compose.yaml runs it with models of Firefox.
#
#     docker build -t docmt .
#     docker run --rm -p 127.0.0.1:5000:5000 --read-only --tmpfs /tmp -v docmt:/data -e DOCMT_GET="en-pt pt-en" docmt --open
#
# The first stage installs docmt; the second has nothing but Python and what was installed. At run
# time nothing is downloaded but the models that DOCMT_GET names, once, into /data; the root file
# system can be read-only, and the user is not root.

FROM python:3.12.8-slim-bookworm AS build
# Extras of docmt, such as [train] for runs that are not compiled, and options of pip for the torch
# that they need, such as the index with builds for a CPU: they are much smaller.
ARG EXTRAS=""
ARG TORCH_OPTIONS=""
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/docmt
WORKDIR /build
COPY constraints.txt ./
# With PyTorch, docmt compiles small operations of its own.
# hadolint ignore=DL3008,SC2086
RUN [ -z "${EXTRAS}" ] \
    || { apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev \
    && /opt/docmt/bin/pip install -c constraints.txt ${TORCH_OPTIONS} torch==2.13.0; }
COPY pyproject.toml README.md LICENSE ./
COPY packages packages
RUN /opt/docmt/bin/pip install -c constraints.txt ./packages/files ./packages/nmt ./packages/core ./packages/llm ./packages/serve ".${EXTRAS}" \
    && /opt/docmt/bin/python -m compileall -q /opt/docmt/lib
# What a first translation makes: the compiled model, and the unpacked detector of languages.
RUN echo "Open the file, and read what is in it." > text.txt \
    && XDG_CACHE_HOME=/opt/docmt/cache /opt/docmt/bin/docmt translate --run bundled:en-de text.txt -o -

FROM python:3.12.8-slim-bookworm
LABEL org.opencontainers.image.title="docmt" \
    org.opencontainers.image.licenses="Apache-2.0 AND CC-BY-4.0 AND CC-BY-3.0 AND CC0-1.0"
COPY --from=build /opt/docmt /opt/docmt
ENV PATH=/opt/docmt/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    XDG_CACHE_HOME=/opt/docmt/cache \
    DOCMT_MODELS=/data/models \
    HF_HUB_OFFLINE=1
RUN install -d -m 700 -o 10001 -g 10001 /data
USER 10001:10001
WORKDIR /tmp
VOLUME /data
EXPOSE 5000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:5000/ready', timeout=4)"]
ENTRYPOINT ["docmt", "serve", "--host", "0.0.0.0", "--folder", "/data"]
CMD ["--keys", "/run/secrets/docmt-keys"]
