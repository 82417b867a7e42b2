import type { Permissions } from "pintle/manager";
import type { CustomResourceDefinition } from "pintle/resource";
import type { ServedFacts } from "pintle/webhook";

/** What an operator is made of, as plain data: read off its entry file without starting it. */
export interface Operator {
  readonly controllers: readonly { readonly name: string; readonly kind: string }[];
  readonly resources: readonly Resource[];
  readonly permissions: Permissions;
  readonly webhooks: ServedFacts;
}

export interface Resource {
  /** `<group>_<plural>.yaml`. */
  readonly file: string;
  readonly crd: CustomResourceDefinition;
}
