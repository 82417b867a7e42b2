import { expect, test } from "vitest";
import { definitions, isNewer, versionsOf, withVersion } from "./definitions.ts";

const text = `// defineResource({ kind: "Commented" })
export const Shelf = defineResource({
  group: "shop.example.com",
  version: "v1beta1",
  kind: "Shelf", // with a ) in it
  spec: z.object({ label: z.string().default("a )") }),
});
export const shelf = 1;
`;

test("a definition is found with what it says; comments are none", () => {
  expect(definitions(text)).toMatchObject([{ group: "shop.example.com", version: "v1beta1", kind: "Shelf" }]);
  expect(definitions("defineResource({ kind: KIND, version })")).toMatchObject([{ kind: undefined, version: undefined }]);
  expect(definitions("defineResource({ kind: ")).toEqual([]);
});

test("a newer version becomes the one the controller works with, an older one is chained", () => {
  const [found] = definitions(text);
  const newer = withVersion(text, found!, "v1")!;
  expect(newer).toContain('version: "v1",\n');
  expect(newer).toContain('}).unchangedIn({ version: "v1beta1" });\nexport const shelf');
  const again = withVersion(newer, definitions(newer)[0]!, "v1alpha1")!;
  expect(again).toContain('.unchangedIn({ version: "v1beta1" }).unchangedIn({ version: "v1alpha1" });');
  expect(versionsOf(again, definitions(again)[0]!)).toEqual(["v1", "v1beta1", "v1alpha1"]);
});

test("versions rank as in Kubernetes", () => {
  const ranked = ["v1alpha1", "v1alpha2", "v2alpha1", "v1beta1", "v1", "v2", "v10"];
  for (let i = 1; i < ranked.length; i++) {
    expect(isNewer(ranked[i]!, ranked[i - 1]!)).toBe(true);
    expect(isNewer(ranked[i - 1]!, ranked[i]!)).toBe(false);
  }
});
