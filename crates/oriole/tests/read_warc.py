"""Reads WARC files with warcio: every record must be whole, its digests right, and what it refers to must be there."""

import sys

from warcio.archiveiterator import ArchiveIterator

responses, revisits, problems = set(), [], []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, check_digests=True):
            record.content_stream().read()
            headers = record.rec_headers
            address, moment = headers.get_header("WARC-Target-URI"), headers.get_header("WARC-Date")
            if record.digest_checker.passed is False:
                problems += [f"{path}: {address} {moment}: {problem}" for problem in record.digest_checker.problems]
            if record.rec_type == "response":
                responses.add((address, moment))
            elif record.rec_type == "revisit":
                earlier = headers.get_header("WARC-Refers-To-Target-URI"), headers.get_header("WARC-Refers-To-Date")
                revisits.append((path, address, moment, earlier))
for path, address, moment, earlier in revisits:
    if earlier not in responses:
        problems.append(f"{path}: {address} {moment}: refers to {earlier}, which is not there")
print(f"warcio read {len(responses)} responses and {len(revisits)} revisits in {len(sys.argv) - 1} files")
if problems:
    sys.exit("\n".join(problems[:20]))
if not responses:
    sys.exit("there are no responses")
