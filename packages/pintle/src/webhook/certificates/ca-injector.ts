import type { Cache, CachedView } from "../../cache/index.ts";
import { type Client, NotFound } from "../../client/index.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../../kinds/generated/admissionregistration/v1.ts";
import { CustomResourceDefinition } from "../../kinds/generated/apiextensions/v1.ts";
import type { KindInfo } from "../../kinds/index.ts";

/** The names of the objects whose caBundle is managed. */
export interface CaInjectionTargets {
  readonly mutating: readonly string[];
  readonly validating: readonly string[];
  readonly definitions: readonly string[];
}

/** Writes caBundle into webhook configurations and CustomResourceDefinitions. */
export interface CaInjector {
  /** Writes the bundle where it is missing. Resolves to true if all objects were synced and had it already. */
  inject(bundle: string, signal: AbortSignal): Promise<boolean>;
}

/** A field manager of its own, so that applying the rest of the object does not remove caBundle. */
const FIELD_MANAGER = "pintle-webhook-certificates";

/** Watches webhook configurations and CustomResourceDefinitions; `onChange` is called when one of them changes. */
export function createCaInjector(cache: Cache, client: Client, targets: CaInjectionTargets, onChange: () => void): CaInjector {
  const watchTargets = (kind: KindInfo, names: readonly string[], buildPatch: (object: any, caBundle: string) => object | undefined) =>
    names.map((name) => {
      const view = cache.watch(kind, { fields: `metadata.name=${name}` }) as CachedView<any>;
      view.addEventHandler(onChange);
      view.onListed(onChange);
      return { kind, name, view, buildPatch };
    });
  const targetsToInject = [
    ...watchTargets(MutatingWebhookConfiguration, targets.mutating, configurationPatch),
    ...watchTargets(ValidatingWebhookConfiguration, targets.validating, configurationPatch),
    ...watchTargets(CustomResourceDefinition, targets.definitions, definitionPatch),
  ];
  return {
    async inject(bundle, signal) {
      const caBundle = Buffer.from(bundle).toString("base64");
      let complete = true;
      for (const { kind, name, view, buildPatch } of targetsToInject) {
        if (!view.isSynced) {
          complete = false;
          continue;
        }
        const object = view.get({ name });
        const body = object === undefined ? undefined : buildPatch(object, caBundle);
        if (body === undefined) continue;
        complete = false;
        const { uid } = object.metadata;
        await client
          .apply(kind as any, { metadata: { name, uid }, ...body } as any, { fieldManager: FIELD_MANAGER, force: true, signal })
          .catch((error: unknown) => {
            // The object was deleted in the meantime.
            if (!(error instanceof NotFound)) throw error;
          });
      }
      return complete;
    },
  };
}

interface WebhookConfigurationObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string | undefined } }[] | undefined;
}
function configurationPatch({ webhooks = [] }: WebhookConfigurationObject, caBundle: string): object | undefined {
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return undefined;
  return { webhooks: webhooks.map(({ name }) => ({ name, clientConfig: { caBundle } })) };
}

function definitionPatch({ spec }: CustomResourceDefinition, caBundle: string): object | undefined {
  const clientConfig = spec.conversion?.webhook?.clientConfig;
  if (clientConfig === undefined || clientConfig.caBundle === caBundle) return undefined;
  return { spec: { conversion: { strategy: "Webhook", webhook: { clientConfig: { caBundle } } } } };
}
