import { expect, test } from "vitest";
import { type Api, addApi, removeFileImports } from "./index.ts";

const catalog: Api = { group: "shop.example.com", version: "v1", kind: "Catalog", scope: "Namespaced", controller: true };

test("adds a controller and its import", () => {
  const main = `import { run } from "pintle";\nimport { store } from "./store.ts";\n\nawait run({ controllers: [store], health: ":1" });\n`;
  expect(addApi(main, catalog)).toBe(
    `import { run } from "pintle";\nimport { store } from "./store.ts";\nimport { catalog } from "./catalog.ts";\n\nawait run({ controllers: [store, catalog], health: ":1" });\n`,
  );
});

test("extends multi-line, empty and existing lists", () => {
  const list = (text: string) => `import { run } from "pintle";\nawait run({ ${text} });\n`;
  expect(addApi(list("controllers: [\n  store,\n]"), catalog)).toContain("controllers: [store, catalog]");
  expect(addApi(list("controllers: []"), catalog)).toContain("controllers: [catalog]");
  const alone = { ...catalog, controller: false };
  expect(addApi(list("controllers: [store]"), alone)).toContain("controllers: [store], resources: [Catalog]");
  expect(addApi(list("controllers: [], resources: [Note]"), alone)).toContain("resources: [Note, Catalog]");
});

test("leaves an entry file without the scaffolded form unchanged", () => {
  expect(addApi('import { run } from "pintle";\nconst controllers = make();\nawait run({ controllers });\n', catalog)).toBeUndefined();
});

test("removes the import and list items of a deleted file", () => {
  const main = `import { run } from "pintle";\nimport { store } from "./store.ts";\nimport { catalog, Catalog } from "./catalog.ts";\n\nawait run({ controllers: [store, catalog], resources: [Catalog] });\n`;
  expect(removeFileImports(main, "catalog")).toBe(
    `import { run } from "pintle";\nimport { store } from "./store.ts";\n\nawait run({ controllers: [store] });\n`,
  );
  expect(removeFileImports(main, "other")).toBe(main);
  expect(removeFileImports(`${main}catalog.more();\n`, "catalog")).toBeUndefined();
});

test("uses a prefixed name for a kind that another group also has", () => {
  const main = `import { run } from "pintle";\nimport { catalog } from "./catalog.ts";\nawait run({ controllers: [catalog] });\n`;
  const other = { ...catalog, prefix: "store" };
  expect(addApi(main, other)).toContain(
    'import { storeCatalog } from "./store-catalog.ts";\nawait run({ controllers: [catalog, storeCatalog] });',
  );
  expect(addApi(main, { ...other, controller: false })).toContain(
    'import { Catalog as StoreCatalog } from "./store-catalog.ts";\nawait run({ controllers: [catalog], resources: [StoreCatalog] });',
  );
});
