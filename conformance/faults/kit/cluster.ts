import { sharedCluster } from "@pintle/cluster/vitest";
import { PriorityClass } from "pintle/kinds/scheduling/v1";

export default sharedCluster({ setup: ({ client }) => client.create(PriorityClass, { metadata: { name: "set-up" }, value: 7 }) });
