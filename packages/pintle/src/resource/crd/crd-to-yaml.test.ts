import { expect, it } from "vitest";
import * as z from "zod";
import { defineResource } from "../define-resource.ts";
import { crdToYaml } from "./crd-to-yaml.ts";

it("writes YAML in the style of controller-gen", async () => {
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
        .describe("Text in\ntwo lines, one of which is longer than eighty characters, as lines of prose may well be."),
    }),
    columns: [{ name: "Mode", path: ".spec.mode" }],
  });
  const text = await crdToYaml(Thing);
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
                  Text in
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
  expect(await crdToYaml(Thing)).toBe(text);
});
