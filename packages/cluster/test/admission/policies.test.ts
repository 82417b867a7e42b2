import { describe, expect, test } from "vitest";
import { CONFIG_MAPS, startTestApiServer } from "../api/harness.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = { resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }] };
const admissionObject = (kind: string, name: string, spec: object) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name },
  spec,
});
const validatingPolicy = (spec: object) => admissionObject("ValidatingAdmissionPolicy", "limits", { matchConstraints, ...spec });
const binding = (spec: object) => admissionObject("ValidatingAdmissionPolicyBinding", "here", { policyName: "limits", ...spec });
const configMap = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

describe("a ValidatingAdmissionPolicy", () => {
  test("denies by parameters, variables and authorizer checks", async () => {
    await using api = await startTestApiServer();
    await api.send("POST", CONFIG_MAPS, configMap("params", { most: "3" }));
    const policy = validatingPolicy({
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [{ name: "size", expression: "int(object.data.size)" }],
      validations: [
        {
          expression: "variables.size <= int(params.data.most) && authorizer.requestResource.check('create').allowed()",
          messageExpression: "string(variables.size) + ' is more than ' + params.data.most",
          reason: "Forbidden",
        },
      ],
    });
    expect((await api.send("POST", `${GROUP}/validatingadmissionpolicies`, policy)).status).toBe(201);
    const bound = binding({ validationActions: ["Deny"], paramRef: { name: "params", parameterNotFoundAction: "Deny" } });
    await api.send("POST", `${GROUP}/validatingadmissionpolicybindings`, bound);
    expect((await api.send("POST", CONFIG_MAPS, configMap("small", { size: "2" }))).status).toBe(201);
    const { status, body } = await api.send("POST", CONFIG_MAPS, configMap("large", { size: "5" }));
    expect(status).toBe(403);
    expect(body.message).toBe(
      "configmaps \"large\" is forbidden: ValidatingAdmissionPolicy 'limits' with binding 'here' denied request: 5 is more than 3",
    );
  });

  test("warns if its binding only has the action Warn", async () => {
    await using api = await startTestApiServer();
    await api.send(
      "POST",
      `${GROUP}/validatingadmissionpolicies`,
      validatingPolicy({ validations: [{ expression: "false", message: "careful" }] }),
    );
    await api.send("POST", `${GROUP}/validatingadmissionpolicybindings`, binding({ validationActions: ["Warn"] }));
    const { status, warnings } = await api.send("POST", CONFIG_MAPS, configMap("a", {}));
    expect(status).toBe(201);
    expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'limits' with binding 'here': careful"]);
  });

  test("is refused on creation if it does not compile", async () => {
    await using api = await startTestApiServer();
    const { status, body } = await api.send(
      "POST",
      `${GROUP}/validatingadmissionpolicies`,
      validatingPolicy({ validations: [{ expression: "1" }] }),
    );
    expect(status).toBe(422);
    expect(body.message).toContain('spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int');
  });
});

test("applies the configurations and JSON patches of a MutatingAdmissionPolicy", async () => {
  await using api = await startTestApiServer();
  const mutations = [
    {
      patchType: "ApplyConfiguration",
      applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"applied": "yes"}}}' },
    },
    {
      patchType: "JSONPatch",
      jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data", value: {"labels": string(object.metadata.labels.size())}}]' },
    },
  ];
  const policy = admissionObject("MutatingAdmissionPolicy", "labels", { matchConstraints, reinvocationPolicy: "Never", mutations });
  expect((await api.send("POST", `${GROUP}/mutatingadmissionpolicies`, policy)).status).toBe(201);
  await api.send(
    "POST",
    `${GROUP}/mutatingadmissionpolicybindings`,
    admissionObject("MutatingAdmissionPolicyBinding", "labels", { policyName: "labels" }),
  );
  const { body } = await api.send("POST", CONFIG_MAPS, configMap("a", {}));
  expect(body.metadata.labels).toEqual({ applied: "yes" });
  expect(body.data).toEqual({ labels: "1" });
});
