import { expect, it } from "vitest";
import * as z from "zod";
import { crdYaml } from "./crd-yaml.ts";
import { defineResource } from "./define-resource.ts";

it("is written the way Go's generators write it", async () => {
  const Thing = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Policy",
    scope: "Cluster",
    spec: z.object({
      name: z.string().regex(/^[a-z]+$/),
      mode: z
        .enum(["on", "off"])
        .default("on")
        .describe("Said in\ntwo lines, one of which is longer than eighty characters, as lines of prose may well be."),
    }),
    columns: [{ name: "Mode", path: ".spec.mode" }],
  });
  const text = await crdYaml(Thing);
  expect(text).toBe(`---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: policies.example.com
spec:
  group: example.com
  names:
    kind: Policy
    listKind: PolicyList
    plural: policies
    singular: policy
  scope: Cluster
  versions:
  - additionalPrinterColumns:
    - jsonPath: .spec.mode
      name: Mode
      type: string
    name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            properties:
              mode:
                default: "on"
                description: |-
                  Said in
                  two lines, one of which is longer than eighty characters, as lines of prose may well be.
                enum:
                - "on"
                - "off"
                type: string
              name:
                pattern: ^[a-z]+$
                type: string
            required:
            - name
            type: object
        required:
        - spec
        type: object
    served: true
    storage: true
`);
  expect(await crdYaml(Thing)).toBe(text);
});
