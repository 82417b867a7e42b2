import type { ScorecardResult, ScorecardTest, ScorecardTestConfig, ScorecardTestList } from "./types.ts";

const API_VERSION = "scorecard.operatorframework.io/v1alpha3";

/** The results in the form that operator-sdk prints as JSON. */
export function createTestList(
  tests: readonly { readonly spec: ScorecardTestConfig; readonly results: readonly ScorecardResult[] }[],
): ScorecardTestList {
  return {
    kind: "TestList",
    apiVersion: API_VERSION,
    items: tests.map(({ spec, results }) => ({
      kind: "Test",
      apiVersion: API_VERSION,
      spec,
      status: results.length === 0 ? {} : { results },
    })),
  };
}

/** The results as operator-sdk prints them for people. */
export function formatScorecardText({ items }: ScorecardTestList): string {
  return items.length === 0 ? "0 tests selected\n" : items.map((test) => `${formatTest(test)}\n`).join("");
}

function formatTest({ spec, status }: ScorecardTest): string {
  const labels = Object.entries(spec.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${"-".repeat(80)}\nImage:      ${spec.image}\n`,
    ...(spec.entrypoint === undefined || spec.entrypoint.length === 0 ? [] : [`Entrypoint: [${spec.entrypoint.join(" ")}]\n`]),
    ...(labels.length === 0 ? [] : ["Labels:\n", ...labels.map(([key, value]) => `\t${JSON.stringify(key)}:${JSON.stringify(value)}\n`)]),
    ...(status.results === undefined ? [] : ["Results:\n", ...status.results.map(formatResult)]),
  ].join("");
}

function formatResult({ name = "", state, suggestions = [], errors = [], log = "" }: ScorecardResult): string {
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `\t${title}:\n${lines.map((line) => `\t\t${line}\n`).join("")}`;
  return [
    ...(name === "" ? [] : [`\tName: ${name}\n`]),
    `\tState: ${state}\n\n`,
    list("Suggestions", suggestions),
    list("Errors", errors),
    list("Log", log === "" ? [] : log.replace(/\n$/, "").split("\n")),
    "\n",
  ].join("");
}

/** The results in the XML that CI systems read. */
export function formatXunit({ items }: ScorecardTestList): string {
  const suites = items.map(({ spec, status }, i) => {
    const name = spec.labels?.["test"] ?? `testsuite-${String(i + 1).padStart(3, "0")}`;
    const phase = spec.labels?.["cluster-phase"];
    const properties: readonly (readonly [string, string])[] = [
      ["spec.image", spec.image],
      ["spec.entrypoint", (spec.entrypoint ?? []).join(" ")],
      ["labels.test", name],
      ...(phase === undefined ? [] : [["labels.cluster-phase", phase] as const]),
    ];
    const results = status.results ?? [];
    const count = (state: ScorecardResult["state"]) => results.filter((each) => each.state === state).length;
    const counts = `tests="${results.length}" skipped="0" failures="${count("fail")}" errors="${count("error")}"`;
    return [
      `  <testsuite name="${escapeXml(name)}" ${counts}>`,
      "    <properties>",
      ...properties.map(([key, value]) => `      <property name="${escapeXml(key)}" value="${escapeXml(value)}"></property>`),
      "    </properties>",
      ...results.map(formatCase),
      "  </testsuite>",
    ].join("\n");
  });
  return `${['<testsuites name="scorecard">', ...suites, "</testsuites>"].join("\n")}\n`;
}

function formatCase({ name = "", state, errors = [], log = "" }: ScorecardResult): string {
  const kind = { pass: undefined, fail: "failure", error: "error" }[state];
  return [
    `    <testcase name="${escapeXml(name)}" time="0001-01-01T00:00:00Z">`,
    `      <system-out>${escapeXml(log)}</system-out>`,
    ...(kind === undefined ? [] : [`      <${kind} type="${kind}">${escapeXml(errors.join("\n"))}</${kind}>`]),
    "    </testcase>",
  ].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  "\n": "&#xA;",
  "\t": "&#x9;",
  "\r": "&#xD;",
};

/** Characters that XML cannot contain are replaced, as Go does: logs may have any. */
function escapeXml(text: string): string {
  const clean = Array.from(text, (character) => (isXmlCharacter(character.codePointAt(0)!) ? character : "\ufffd")).join("");
  return clean.replaceAll(/[&<>"'\n\t\r]/g, (character) => ENTITIES[character]!);
}

function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff;
}
