import type { JsonSchema } from "../json-schema.ts";
import type { PrinterColumnDefinition } from "../printer-columns/index.ts";
import type { ScalePaths } from "../validation/scale.ts";

/** An apiextensions.k8s.io/v1 CustomResourceDefinition that is not validated yet, with the fields that validation reads. */
export interface CustomResourceDefinition {
  readonly metadata?:
    | { readonly name?: string | undefined; readonly annotations?: Readonly<Record<string, string>> | undefined }
    | undefined;
  readonly spec: CrdSpec;
  readonly status?: CrdStatus | undefined;
}

export interface CrdSpec {
  readonly group?: string | undefined;
  readonly names?: CrdNames | undefined;
  readonly scope?: string | undefined;
  readonly versions?: readonly CrdVersion[] | undefined;
  readonly conversion?: CrdConversion | undefined;
  readonly preserveUnknownFields?: boolean | undefined;
}

export interface CrdNames {
  readonly plural?: string | undefined;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly kind?: string | undefined;
  readonly listKind?: string | undefined;
  readonly categories?: readonly string[] | undefined;
}

export interface CrdVersion extends CrdVersionFields {
  readonly name: string;
  readonly served?: boolean | undefined;
  readonly storage?: boolean | undefined;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
}

/** Fields that each version has, or the whole CRD in its internal version if all versions have the same. */
export interface CrdVersionFields {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema | undefined } | undefined;
  readonly subresources?: CrdSubresources | undefined;
  readonly additionalPrinterColumns?: readonly PrinterColumnDefinition[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

export interface CrdSubresources {
  readonly status?: object | undefined;
  readonly scale?: Partial<ScalePaths> | undefined;
}

export interface CrdConversion {
  readonly strategy?: string | undefined;
  readonly webhook?:
    | {
        readonly conversionReviewVersions?: readonly string[] | undefined;
        readonly clientConfig?: CrdWebhookClientConfig | undefined;
      }
    | undefined;
}

export interface CrdWebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | { readonly name?: string; readonly namespace?: string; readonly path?: string | undefined; readonly port?: number }
    | undefined;
  readonly caBundle?: string | undefined;
}

export interface CrdStatus {
  readonly acceptedNames?: CrdNames | undefined;
  readonly storedVersions?: readonly string[] | undefined;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined;
}

export function isEstablished(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
}
