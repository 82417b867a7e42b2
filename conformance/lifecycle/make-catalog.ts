/** What a made catalog has. */
export interface CatalogShape {
  readonly packages: number;
  readonly bundlesPerPackage: number;
  /** The description in the CSV's metadata makes bundles this large. */
  readonly bytesPerBundle: number;
}

/** Makes a catalog of a size: packages with one channel, whose bundles replace each other. Equal shapes make equal catalogs. */
export function makeCatalog({ packages, bundlesPerPackage, bytesPerBundle }: CatalogShape): Readonly<Record<string, unknown>>[] {
  return Array.from({ length: packages }, (_, i) => makePackage(`p${i}`, bundlesPerPackage, bytesPerBundle)).flat();
}

function makePackage(name: string, bundles: number, bytes: number): Readonly<Record<string, unknown>>[] {
  const versions = Array.from({ length: bundles }, (_, i) => `1.${i}.0`);
  const bundleName = (version: string) => `${name}.v${version}`;
  return [
    { schema: "olm.package", name, defaultChannel: "stable", description: `The package ${name}.` },
    {
      schema: "olm.channel",
      package: name,
      name: "stable",
      entries: versions.map((version, i) => ({
        name: bundleName(version),
        ...(i === 0 ? {} : { replaces: bundleName(versions[i - 1]!), skipRange: `<${version}` }),
      })),
    },
    ...versions.map((version) => makeBundle(name, bundleName(version), version, bytes)),
  ];
}

function makeBundle(packageName: string, name: string, version: string, bytes: number): Readonly<Record<string, unknown>> {
  const digest = "0123456789abcdef".repeat(4);
  const bundle = {
    schema: "olm.bundle",
    name,
    package: packageName,
    image: `registry.example.com/${packageName}/bundle@sha256:${digest}`,
    properties: [
      { type: "olm.package", value: { packageName, version } },
      { type: "olm.gvk", value: { group: `${packageName}.example.com`, kind: "Thing", version: "v1" } },
      {
        type: "olm.csv.metadata",
        value: {
          annotations: {
            capabilities: "Seamless Upgrades",
            "alm-examples": '[{"apiVersion":"example.com/v1","kind":"Thing","spec":{"size":3}}]',
          },
          displayName: `The ${packageName} operator`,
          installModes: [{ type: "AllNamespaces", supported: true }],
          keywords: ["one", "two"],
          provider: { name: "Example" },
        },
      },
    ],
    relatedImages: [{ name: "operator", image: `registry.example.com/${packageName}/operator@sha256:${digest}` }],
  };
  const missing = Math.max(0, bytes - JSON.stringify(bundle).length - 20);
  const text = `Manages things of ${packageName} "${version}".\nWith care. `;
  const description = text.repeat(Math.ceil(missing / text.length)).slice(0, missing);
  const [, , metadata] = bundle.properties;
  return { ...bundle, properties: [...bundle.properties.slice(0, 2), { ...metadata, value: { ...metadata!.value, description } }] };
}
