/** Templates of catalogs: from a short description to blobs, as `opm alpha render-template` does it. In: the text of a template. Out: blobs. */
import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import type { CatalogBlob } from "../blob-value.ts";
import { renderBasicTemplate } from "./basic.ts";
import { type RenderReference, readTemplate, type Template } from "./read-template.ts";
import { renderSemverTemplate } from "./semver.ts";
import { renderSubstitutesTemplate } from "./substitutes.ts";

/** The types of templates, and their schemas. */
export const TEMPLATE_TYPES = { basic: "olm.template.basic", semver: "olm.semver", substitutes: "olm.template.substitutes" } as const;
type TemplateType = keyof typeof TEMPLATE_TYPES;

const RENDERERS: Readonly<Record<TemplateType, (template: Template, render: RenderReference) => Promise<readonly CatalogBlob[]>>> = {
  basic: renderBasicTemplate,
  semver: renderSemverTemplate,
  substitutes: renderSubstitutesTemplate,
};

/** What a template became. */
export interface RenderedTemplate {
  readonly type: TemplateType;
  readonly blobs: readonly CatalogBlob[];
}

/** Renders a template of a type; without one, the schema in the template decides. `render` returns the bundle that an image reference stands for. */
export async function renderTemplate(text: string, render: RenderReference, type?: TemplateType): Promise<RenderedTemplate> {
  const template = readTemplate(text);
  const found = type ?? (Object.keys(TEMPLATE_TYPES) as TemplateType[]).find((each) => TEMPLATE_TYPES[each] === template.schema);
  if (found === undefined) {
    if (template.schema === "") throw new PintleError("PINTLE8040", "template input missing required 'schema' field");
    const known = Object.values(TEMPLATE_TYPES).join(", ");
    throw new PintleError("PINTLE8040", `unknown template schema: ${template.schema} (known are ${known})`);
  }
  if (template.schema !== TEMPLATE_TYPES[found]) {
    const what = `template has unknown schema (${quoteGoString(template.schema)}), should be ${quoteGoString(TEMPLATE_TYPES[found])}`;
    throw new PintleError("PINTLE8040", what);
  }
  return { type: found, blobs: await RENDERERS[found](template, render) };
}
