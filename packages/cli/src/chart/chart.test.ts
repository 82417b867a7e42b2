import { controller, defineResource, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { operatorFromOptions } from "../project/index.ts";
import { buildChart } from "./index.ts";

const Store = defineResource({ group: "shop.example.com", version: "v1", kind: "Store", spec: z.object({ size: z.int32() }) });
const store = controller(Store, { owns: [ConfigMap], reconcile: ({ want }) => want({ children: {} }) });
const project = {
  root: "/shop",
  name: "shop",
  version: "1.0.0",
  entry: "src/main.ts",
  namespace: "shop-system",
  image: "shop:1.0.0",
  config: {},
};
const files = [...buildChart({ project, operator: operatorFromOptions({ controllers: [store] }) })];

test("replaces every placeholder with a template expression", () => {
  for (const [file, text] of files) expect(text, file).not.toMatch(/PINTLE\d|PLACE|HOLDER/);
  expect(new Map(files).get("dist/chart/templates/manager/manager.yaml")).toContain("replicas: {{ .Values.replicas }}\n");
});

test("declares every template variable that it uses", () => {
  for (const [file, text] of files) {
    const declared = new Set([...text.matchAll(/\$(\w+)(?:, \$(\w+))? :=/g)].flatMap(([, first, second]) => [first, second]));
    for (const [, name] of text.matchAll(/\{\{[^}]*?\$(\w+)/g)) expect(declared, `${file}: $${name}`).toContain(name);
  }
});
