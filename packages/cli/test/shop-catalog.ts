const renderBundle = (version: string) => `---
schema: olm.bundle
name: shop.v${version}
package: shop
image: example.com/shop-bundle:${version}
properties:
- type: olm.package
  value: { packageName: shop, version: ${version} }
`;

/** Renders a file-based catalog with the package "shop": bundles of these versions, in the channel "stable". `edges` are the YAML fields of an entry. */
export function renderShopCatalog(versions: readonly string[], edges: Readonly<Record<string, string>> = {}): string {
  const entries = versions.map((version) => `- name: shop.v${version}\n${edges[version] ?? ""}`);
  return `---
schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
name: stable
package: shop
entries:
${entries.join("")}${versions.map(renderBundle).join("")}`;
}
