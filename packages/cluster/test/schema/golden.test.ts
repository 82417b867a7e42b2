import { describe, expect, test } from "vitest";
import { evaluateCrd, evaluateSuite, normalizeResponse } from "./evaluate.ts";
import { type GoldenCrd, type GoldenSchemaSuite, normalizeLike, readGolden } from "./golden-files.ts";

describe("objects get the responses of a real kube-apiserver", () => {
  test.each(readGolden<GoldenSchemaSuite>("objects.json"))("$suite.name", ({ suite, responses: theirs }) => {
    const ours = evaluateSuite(suite);
    for (const [i, one] of suite.cases.entries()) {
      expect(normalizeLike(ours[i]!, theirs[i]!), one.name).toEqual(normalizeResponse(theirs[i]!));
    }
  });
});

describe("CRDs get the responses of a real kube-apiserver", () => {
  test.each(readGolden<GoldenCrd>("crds.json"))("$name", ({ crd, response }) => {
    expect(normalizeLike(evaluateCrd(crd), response)).toEqual(normalizeResponse(response));
  });
});
