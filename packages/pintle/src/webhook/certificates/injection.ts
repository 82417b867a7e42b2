import type { Cache, View } from "../../cache/index.ts";
import { type Client, NotFound } from "../../client/index.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../../kinds/generated/admissionregistration/v1.ts";
import { CustomResourceDefinition } from "../../kinds/generated/apiextensions/v1.ts";
import type { KindFacts } from "../../kinds/index.ts";

/** Who must trust the authority: names of objects. */
export interface Targets {
  readonly mutating: readonly string[];
  readonly validating: readonly string[];
  readonly definitions: readonly string[];
}

export interface Injection {
  /** Puts the bundle wherever it is missing; false while some of it could not be seen yet. */
  inject(bundle: string, signal: AbortSignal): Promise<boolean>;
}

/** Who writes caBundle: its own manager, so that whoever applies the rest of the object leaves it alone. */
const MANAGER = "pintle-webhook-certificates";

/** Keeps caBundle right in webhook configurations and definitions; `changed` is called when one of them was touched by anybody. */
export function injection(cache: Cache, client: Client, targets: Targets, changed: () => void): Injection {
  const follow = (kind: KindFacts, names: readonly string[], wanted: (object: any, caBundle: string) => object | undefined) =>
    names.map((name) => {
      const view = cache.watch(kind, { fields: `metadata.name=${name}` }) as View<any>;
      view.on(changed);
      view.onListed(changed);
      return { kind, name, view, wanted };
    });
  const followed = [
    ...follow(MutatingWebhookConfiguration, targets.mutating, inConfiguration),
    ...follow(ValidatingWebhookConfiguration, targets.validating, inConfiguration),
    ...follow(CustomResourceDefinition, targets.definitions, inDefinition),
  ];
  return {
    async inject(bundle, signal) {
      const caBundle = Buffer.from(bundle).toString("base64");
      let complete = true;
      for (const { kind, name, view, wanted } of followed) {
        if (!view.isSynced) {
          complete = false;
          continue;
        }
        const object = view.get({ name });
        const body = object === undefined ? undefined : wanted(object, caBundle);
        if (body === undefined) continue;
        complete = false;
        const { uid } = object.metadata;
        await client
          .apply(kind as any, { metadata: { name, uid }, ...body } as any, { fieldManager: MANAGER, force: true, signal })
          .catch((error: unknown) => {
            // Removed meanwhile: then nobody has to be told.
            if (!(error instanceof NotFound)) throw error;
          });
      }
      return complete;
    },
  };
}

interface Configuration {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string | undefined } }[] | undefined;
}
function inConfiguration({ webhooks = [] }: Configuration, caBundle: string): object | undefined {
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return undefined;
  return { webhooks: webhooks.map(({ name }) => ({ name, clientConfig: { caBundle } })) };
}

function inDefinition({ spec }: CustomResourceDefinition, caBundle: string): object | undefined {
  const clientConfig = spec.conversion?.webhook?.clientConfig;
  if (clientConfig === undefined || clientConfig.caBundle === caBundle) return undefined;
  return { spec: { conversion: { strategy: "Webhook", webhook: { clientConfig: { caBundle } } } } };
}
