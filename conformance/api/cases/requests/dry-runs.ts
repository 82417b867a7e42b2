import { APPLY, type ApiCase, type CaseContext, MERGE, requestCases, widget } from "../../case.ts";

/** Dry runs of every verb. */
export function dryRuns({ widgets, configMaps, namespace, runId }: CaseContext): readonly ApiCase[] {
  const map = `${configMaps}/dr`;
  const thing = `${widgets}/dr`;
  const services = `/api/v1/namespaces/${namespace}/services`;
  return [
    ...requestCases(
      ["E4 a config map", "POST", configMaps, { metadata: { name: "dr" }, data: { a: "b" } }],
      ["E4 a widget", "POST", widgets, widget("dr", { spec: { size: 1, replicas: 1 } })],
      ["E4 create", "POST", `${configMaps}?dryRun=All`, { metadata: { name: "dr2" }, data: { a: "b" } }],
      ["E4 A5 create with a resourceVersion", "POST", `${configMaps}?dryRun=All`, { metadata: { name: "dr3", resourceVersion: "5" } }],
      [
        "E4 A5 create a widget with a resourceVersion",
        "POST",
        `${widgets}?dryRun=All`,
        widget("dr3", { metadata: { resourceVersion: "5" } }),
      ],
      [
        "E4 A4 create an existing object with a resourceVersion",
        "POST",
        `${configMaps}?dryRun=All`,
        { metadata: { name: "dr", resourceVersion: "5" } },
      ],
      ["E4 it was not created", "GET", `${configMaps}/dr2`],
      ["E4 replace", "PUT", `${map}?dryRun=All`, { metadata: { name: "dr" }, data: { z: "1" } }],
      ["E4 patch", "PATCH", `${map}?dryRun=All`, { data: { z: "1" } }, MERGE],
      ["E4 nothing was changed", "GET", map],
      ["E4 a word that is none, to replace", "PUT", `${map}?dryRun=Foo`, { metadata: { name: "dr" } }],
      ["E4 no word, to patch", "PATCH", `${map}?dryRun=`, {}, MERGE],
      ["E4 the word twice", "PATCH", `${map}?dryRun=All&dryRun=All`, {}, MERGE],
      ["E4 a word that is none, to delete", "DELETE", `${map}?dryRun=Foo`],
      ["E4 a word that is none in the body", "DELETE", map, { dryRun: ["Foo"] }],
      ["E4 a word that is none, for a collection", "DELETE", `${configMaps}?dryRun=Foo`],
      ["E4 B2 scale", "PATCH", `${thing}/scale?dryRun=All`, { spec: { replicas: 4 } }, MERGE],
      ["E4 B1 status", "PATCH", `${thing}/status?dryRun=All`, { status: { phase: "D" } }, MERGE],
      ["E4 the widget is as it was", "GET", thing],
      ["E4 E3 apply what is missing", "PATCH", `${widgets}/dr2?dryRun=All&fieldManager=m`, widget("dr2", { spec: { size: 3 } }), APPLY],
      ["E4 E3 apply what is there", "PATCH", `${thing}?dryRun=All&fieldManager=m`, widget("dr", { spec: { color: "blue" } }), APPLY],
      ["E4 F3 what is invalid", "POST", `${widgets}?dryRun=All`, widget("inv", { spec: { size: -1 } })],
      ["E4 G5 a namespace", "POST", "/api/v1/namespaces?dryRun=All", { metadata: { name: `dry-${runId}` } }],
      ["E4 G5 in a missing namespace", "POST", `/api/v1/namespaces/nope-${runId}/configmaps?dryRun=All`, { metadata: { name: "x" } }],
      ["E4 a service", "POST", `${services}?dryRun=All`, { metadata: { name: "ds" }, spec: { clusterIP: "None", ports: [{ port: 1 }] } }],
      ["E4 C1 delete", "DELETE", `${map}?dryRun=All`],
      ["E4 C6 delete all", "DELETE", `${configMaps}?dryRun=All&labelSelector=x%3Dy`],
      ["E4 what was deleted is there", "GET", map],
    ),
  ];
}
