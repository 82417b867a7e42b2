import type { OperatorPermissions } from "pintle/internal/manager";
import type { CustomResourceDefinition } from "pintle/internal/resource";
import type { WebhookServerDescription } from "pintle/internal/webhook";

/** An operator as plain data, obtained from its entry file without starting it. */
export interface OperatorDescription {
  readonly controllers: readonly { readonly name: string; readonly kind: string }[];
  readonly resources: readonly ResourceDescription[];
  readonly permissions: OperatorPermissions;
  readonly webhooks: WebhookServerDescription;
}

export interface ResourceDescription {
  /** File name of the CRD: `<group>_<plural>.yaml`. */
  readonly file: string;
  readonly crd: CustomResourceDefinition;
}
