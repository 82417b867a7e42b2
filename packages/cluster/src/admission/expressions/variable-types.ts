import * as cel from "../../schema/cel/index.ts";

const { BOOL, DYN, INT, STRING, TIMESTAMP, listOf, mapOf, opaque, struct } = cel;

function object(name: string, fields: Readonly<Record<string, cel.Type>>): cel.Type {
  return struct(`kubernetes.${name}`, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined));
}

const kind = object("GroupVersionKind", { group: STRING, version: STRING, kind: STRING });
const resource = object("GroupVersionResource", { group: STRING, version: STRING, resource: STRING });
const texts = listOf(STRING);
const labels = mapOf(STRING, STRING);

/** Type of the variable `request`. */
export const REQUEST_TYPE = object("AdmissionRequest", {
  kind,
  resource,
  subResource: STRING,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: object("UserInfo", { username: STRING, uid: STRING, groups: texts, extra: mapOf(STRING, texts) }),
  dryRun: BOOL,
  options: DYN,
});

const condition = object("NamespaceCondition", {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

/** Type of the variable `namespaceObject`. */
export const NAMESPACE_TYPE = object("Namespace", {
  metadata: object("NamespaceMetadata", {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels,
    annotations: labels,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: texts,
  }),
  spec: object("NamespaceSpec", { finalizers: texts }),
  status: object("NamespaceStatus", { conditions: listOf(condition), phase: STRING }),
});

export const AUTHORIZER_TYPE = opaque("kubernetes.authorization.Authorizer");
export const RESOURCE_CHECK_TYPE = opaque("kubernetes.authorization.ResourceCheck");
