import { expect, test } from "vitest";
import { isEmptySelector } from "./labels.ts";
import { validateTemplateLabels } from "./workload.ts";

const findErrors = (key: string, operator: "Exists" | "DoesNotExist", labels: Record<string, string>) => [
  ...validateTemplateLabels("spec.template", { matchExpressions: [{ key, operator, values: null }] }, { metadata: { labels } }),
];

test.each(["constructor", "toString"])("%s counts as a template label only where the template has it", (key) => {
  expect(findErrors(key, "Exists", {})).toMatchObject([{ field: "spec.template.metadata.labels" }]);
  expect(findErrors(key, "DoesNotExist", {})).toEqual([]);
  expect(findErrors(key, "Exists", { [key]: "a" })).toEqual([]);
});

test("null fields of a selector count as absent", () => {
  expect(isEmptySelector({ matchLabels: null, matchExpressions: null })).toBe(true);
});
