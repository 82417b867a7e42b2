import { webhook } from "pintle/internal/webhook";
import { ClusterCatalogKind, METADATA_NAME_LABEL } from "../manager/index.ts";

/** The prefix of the MutatingWebhookConfiguration, as upstream has it. */
export const WEBHOOK_PREFIX = "catalogd";

/** Gives catalogs the label with their name before they are stored, so that no reader sees one without it. */
export const catalogLabelWebhook = webhook(ClusterCatalogKind as never, {
  default(object: { metadata: { name: string; labels?: Record<string, string> } }) {
    object.metadata.labels = { ...object.metadata.labels, [METADATA_NAME_LABEL]: object.metadata.name };
  },
});
