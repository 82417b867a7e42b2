import { expect, test } from "vitest";
import { fuzzParser } from "../../packages/cluster/test/hostile/fuzz/fuzz-parser.ts";
import { type FuzzedParser, parsers } from "../../packages/cluster/test/hostile/fuzz/parsers.ts";
import { createResponseParser } from "../../packages/pintle/src/client/http/response-parser.ts";
import { WireError } from "../../packages/pintle/src/client/http/wire-error.ts";
import { full, seed } from "../sampling.ts";

const count = full ? 200_000 : 5_000;
const ignore = () => {};

/** The parser of the client, in the package below that of the others. */
const httpResponses: FuzzedParser = {
  name: "HTTP/1.1 responses",
  samples: [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
  ],
  parse(input) {
    const parser = createResponseParser({ onHead: ignore, onData: ignore, onEnd: ignore, onUpgrade: ignore });
    parser.expectResponse({ method: "GET" });
    parser.parse(input);
    parser.onPeerClose();
  },
  isExpected: (error) => error instanceof WireError,
};

test.each([...parsers, httpResponses])(
  `the parser of $name throws only its own errors for ${count} mutated inputs`,
  { timeout: 30 * 60_000 },
  async (parser) => {
    expect((await fuzzParser(parser, seed, count)).failures).toEqual([]);
  },
);
