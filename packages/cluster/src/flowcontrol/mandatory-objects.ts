import type { FlowSchema, PriorityLevelConfiguration } from "pintle/kinds/flowcontrol/v1";

/** What kube-apiserver relies on where the objects of the same names are missing. Those of the store replace them. */

const ALL_RULES = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const groupSubject = (name: string) => ({ kind: "Group", group: { name } });

export const MANDATORY_PRIORITY_LEVELS = [
  { metadata: { name: "exempt" }, spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
  {
    metadata: { name: "catch-all" },
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } } },
  },
] as unknown as readonly PriorityLevelConfiguration[];

export const MANDATORY_FLOW_SCHEMAS = [
  {
    metadata: { name: "exempt" },
    spec: {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 1,
      rules: [{ subjects: [groupSubject("system:masters")], ...ALL_RULES }],
    },
  },
  {
    metadata: { name: "catch-all" },
    spec: {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [groupSubject("system:unauthenticated"), groupSubject("system:authenticated")], ...ALL_RULES }],
    },
  },
] as unknown as readonly FlowSchema[];
