import { PintleError } from "pintle/internal/errors";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { parseYamlDocument } from "../yaml/index.ts";
import type { ScorecardTestConfig } from "./types.ts";

/** The tests of a run: stages one after the other, the tests of a stage together if it says so. */
export interface ScorecardConfig {
  readonly stages: readonly { readonly parallel: boolean; readonly tests: readonly ScorecardTestConfig[] }[];
  /** The ServiceAccount of tests in images. */
  readonly serviceAccount: string | undefined;
}

/** Parses a configuration of scorecard. Throws `PintleError` that names the field. */
export function readScorecardConfig(text: string, where: string): ScorecardConfig {
  const refuse = (why: string) => new PintleError("PINTLE8063", `${where}: ${why}`);
  let parsed: Json;
  try {
    parsed = parseYamlDocument(text) as Json;
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (!isJsonObject(parsed) || parsed["kind"] !== "Configuration") throw refuse('kind must be "Configuration"');
  const { apiVersion, stages = [], storage, serviceaccount } = parsed;
  if (apiVersion !== "scorecard.operatorframework.io/v1alpha3") throw refuse(`apiVersion ${JSON.stringify(apiVersion)} is not supported`);
  if (!Array.isArray(stages)) throw refuse("stages must be a list");
  const defaultPath = mountPath(storage);
  return {
    serviceAccount: typeof serviceaccount === "string" && serviceaccount !== "" ? serviceaccount : undefined,
    stages: (stages as readonly Json[]).map((stage, i) => {
      const { parallel = false, tests = [] } = isJsonObject(stage) ? stage : {};
      if (!Array.isArray(tests)) throw refuse(`stages[${i}].tests must be a list`);
      return {
        parallel: parallel === true,
        tests: (tests as readonly Json[]).map((test, j) =>
          readTest(test, defaultPath, (why) => refuse(`stages[${i}].tests[${j}]: ${why}`)),
        ),
      };
    }),
  };
}

function readTest(test: Json, defaultPath: string | undefined, refuse: (why: string) => PintleError): ScorecardTestConfig {
  if (!isJsonObject(test)) throw refuse("must be an object");
  const { image, uniqueID, entrypoint, labels, storage } = test;
  if (typeof image !== "string" || image === "") throw refuse("image is missing");
  if (entrypoint !== undefined && !isStrings(entrypoint)) throw refuse("entrypoint must be a list of strings");
  if (labels !== undefined && !(isJsonObject(labels) && isStrings(Object.values(labels)))) throw refuse("labels must be strings");
  const path = mountPath(storage) ?? defaultPath;
  return {
    image,
    ...(typeof uniqueID === "string" ? { uniqueID } : {}),
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(labels === undefined ? {} : { labels: labels as unknown as Readonly<Record<string, string>> }),
    storage: { spec: { mountPath: path === undefined ? {} : { path } } },
  };
}

function mountPath(storage: Json | undefined): string | undefined {
  const { spec } = (storage ?? {}) as { readonly spec?: { readonly mountPath?: JsonObject } };
  const path = spec?.mountPath?.["path"];
  return typeof path === "string" && path !== "" ? path : undefined;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
