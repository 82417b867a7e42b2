import { describe, expect, it } from "vitest";
import { ConnectionError, Timeout } from "../errors/request-errors.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport.ts";
import { createRetryingTransport } from "./retry.ts";

type ScriptedResponse = number | readonly [number, string] | "refused" | "reset" | "untrusted" | "timeout";

/** Responds with the steps in order; time passes only by sleeping. */
function scriptedTransport(steps: readonly ScriptedResponse[]) {
  const slept: number[] = [];
  let requested = 0;
  let discarded = 0;
  const transport: Transport = {
    async request(): Promise<TransportResponse> {
      const step = steps[requested++] ?? 200;
      const failure = { message: "m", request: "r" };
      if (step === "refused") throw new ConnectionError({ ...failure, cause: { code: "ECONNREFUSED" } }, false);
      if (step === "reset") throw new ConnectionError({ ...failure, cause: { code: "ECONNRESET" } }, true);
      if (step === "untrusted") throw new ConnectionError({ ...failure, cause: { code: "CERT_HAS_EXPIRED" } }, false);
      if (step === "timeout") throw new Timeout({ ...failure, statusCode: 0 });
      const [status, after] = typeof step === "number" ? [step] : step;
      const bytes = async function* () {
        discarded++;
        yield new Uint8Array();
      };
      return { status, headers: { "retry-after": after }, json: async () => ({}), lines: bytes, bytes };
    },
    async close() {},
  };
  const clock = {
    now: () => Date.UTC(2026, 0, 1),
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
  return { transport: createRetryingTransport(transport, clock, () => 1), slept, requested: () => requested, discarded: () => discarded };
}

const apply = { "content-type": "application/apply-patch+yaml" };
const merge = { "content-type": "application/merge-patch+json" };
const json = { "content-type": "application/json-patch+json" };
const request = (method: TransportRequest["method"], headers?: Record<string, string>): TransportRequest => ({
  method,
  path: "/x",
  headers,
});

describe("createRetryingTransport", () => {
  it.each<[string, TransportRequest, readonly ScriptedResponse[], readonly number[], number | string]>([
    ["a connection that was refused, whatever the request", request("POST"), ["refused", "refused", 201], [100, 200], 201],
    ["a reset of a GET", request("GET"), ["reset", 200], [100], 200],
    ["a reset of a PUT", request("PUT"), ["reset", 200], [100], 200],
    ["a reset of a DELETE", request("DELETE"), ["reset", 200], [100], 200],
    ["a reset of an apply", request("PATCH", apply), ["reset", 200], [100], 200],
    ["a reset of a merge patch", request("PATCH", merge), ["reset", 200], [100], 200],
    ["429 with Retry-After, also of a POST", request("POST"), [[429, "2"], 201], [2000], 201],
    ["503 with Retry-After", request("POST"), [[503, "1"], 201], [1000], 201],
    ["503 with a date", request("GET"), [[503, "Thu, 01 Jan 2026 00:00:05 GMT"], 200], [5000], 200],
    ["a pause of nothing, but not at once", request("GET"), [[429, "0"], 200], [100], 200],
    ["503 of a GET without Retry-After", request("GET"), [503, 200], [100], 200],
  ])("retries %s", async (_, requested, steps, slept, expected) => {
    const it = scriptedTransport(steps);
    expect((await it.transport.request(requested)).status).toBe(expected);
    expect(it.slept).toEqual(slept);
  });

  it.each<[string, TransportRequest, readonly ScriptedResponse[], number | typeof ConnectionError | typeof Timeout]>([
    ["a reset of a POST", request("POST"), ["reset"], ConnectionError],
    ["a reset of a JSON patch", request("PATCH", json), ["reset"], ConnectionError],
    ["a connection to a server that cannot be trusted", request("GET"), ["untrusted"], ConnectionError],
    ["a timeout", request("GET"), ["timeout"], Timeout],
    ["429 without Retry-After: refused by a disruption budget", request("POST"), [429], 429],
    ["503 of a POST without Retry-After", request("POST"), [503], 503],
    ["a pause longer than the cap", request("GET"), [[429, "3600"]], 429],
    ["500", request("GET"), [[500, "1"]], 500],
    ["409", request("PUT"), [409], 409],
  ])("does not retry %s", async (_, requested, steps, expected) => {
    const it = scriptedTransport(steps);
    const outcome = await it.transport.request(requested).catch((error) => error);
    if (typeof expected === "number") expect(outcome.status).toBe(expected);
    else expect(outcome).toBeInstanceOf(expected);
    expect(it.requested()).toBe(1);
  });

  it("stops after five attempts and leaves the last response unread", async () => {
    const it = scriptedTransport(Array(9).fill([503, "1"]));
    expect((await it.transport.request(request("GET"))).status).toBe(503);
    expect(it.requested()).toBe(5);
    expect(it.discarded()).toBe(4);
  });

  it("stops waiting when the signal aborts", async () => {
    const it = scriptedTransport([[503, "1"]]);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(it.transport.request({ ...request("GET"), signal })).rejects.toThrow("enough");
  });
});
