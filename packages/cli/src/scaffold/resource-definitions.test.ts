import { expect, test } from "vitest";
import { addVersion, findDefinitions, isNewerVersion, listVersions } from "./resource-definitions.ts";

const text = `// defineResource({ kind: "Commented" })
export const Catalog = defineResource({
  group: "shop.example.com",
  version: "v1beta1",
  kind: "Catalog", // with a ) in it
  spec: z.object({ label: z.string().default("a )") }),
});
export const catalog = 1;
`;

test("finds definitions outside of comments and reads their literal fields", () => {
  expect(findDefinitions(text)).toMatchObject([{ group: "shop.example.com", version: "v1beta1", kind: "Catalog" }]);
  expect(findDefinitions("defineResource({ kind: KIND, version })")).toMatchObject([{ kind: undefined, version: undefined }]);
  expect(findDefinitions("defineResource({ kind: ")).toEqual([]);
});

test("makes a newer version the main one and chains older versions", () => {
  const [found] = findDefinitions(text);
  const newer = addVersion(text, found!, "v1")!;
  expect(newer).toContain('version: "v1",\n');
  expect(newer).toContain('}).unchangedIn({ version: "v1beta1" });\nexport const catalog');
  const again = addVersion(newer, findDefinitions(newer)[0]!, "v1alpha1")!;
  expect(again).toContain('.unchangedIn({ version: "v1beta1" }).unchangedIn({ version: "v1alpha1" });');
  expect(listVersions(again, findDefinitions(again)[0]!)).toEqual(["v1", "v1beta1", "v1alpha1"]);
});

test("orders versions by Kubernetes priority", () => {
  const ranked = ["v1alpha1", "v1alpha2", "v2alpha1", "v1beta1", "v1", "v2", "v10"];
  for (let i = 1; i < ranked.length; i++) {
    expect(isNewerVersion(ranked[i]!, ranked[i - 1]!)).toBe(true);
    expect(isNewerVersion(ranked[i - 1]!, ranked[i]!)).toBe(false);
  }
});
