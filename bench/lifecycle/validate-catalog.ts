import { validateCatalogFolder } from "@pintle/lifecycle/internal/source";

validateCatalogFolder(process.argv[2] ?? "");
