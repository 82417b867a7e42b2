import type { OperatorPermissions } from "pintle/internal/manager";
import type { CustomResourceDefinition } from "pintle/internal/resource";
import type { WebhookServerDescription } from "pintle/internal/webhook";

/** An operator as plain data, obtained from its entry file without starting it. */
export interface OperatorDescription {
  readonly controllers: readonly ControllerDescription[];
  readonly resources: readonly ResourceDescription[];
  readonly permissions: OperatorPermissions;
  readonly webhooks: WebhookServerDescription;
}

export interface ControllerDescription {
  readonly name: string;
  /** The identifier of the primary kind. */
  readonly kind: string;
  /** The primary kind and its children. */
  readonly primary: KindName;
  readonly owns: readonly KindName[];
}

/** A kind without its types. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ResourceDescription {
  /** File name of the CRD: `<group>_<plural>.yaml`. */
  readonly file: string;
  readonly crd: CustomResourceDefinition;
}
