# A machine for labs, and for grading. From the workbook's folder:
#
#   docker build -t workbook .
#   docker run --rm -it workbook                          a learner's shell, with everything built
#   docker run --rm -it --user "$(id -u)" -v "$PWD:/workbook" workbook    the same, on your own copy
#   docker run --rm --user root -v "$PWD/in:/in:ro" -v "$PWD/out:/out" workbook \
#       make grade-all SUBMISSIONS=/in OUT=/out/grades.csv    grade a folder of submissions; as root, which keeps them apart
#
# BASE may be any Debian from 12 or Ubuntu from 22.04 on; with nvidia/cuda:12.4.1-devel-ubuntu22.04 it is for GPUs, too.

ARG BASE=debian:12-slim
FROM ${BASE} AS tools

# hadolint ignore=DL3008
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates git gcc g++ gdb libc6-dev make pkg-config libcriterion-dev graphviz && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --create-home --shell /bin/bash --uid 2000 learner

FROM tools AS workbook

COPY --chown=learner . /workbook
WORKDIR /workbook
USER 2000
RUN make programs graders
CMD ["bash"]
