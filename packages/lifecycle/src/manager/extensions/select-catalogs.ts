import { compileLabelSelector, isEmptyLabelSelector } from "pintle/internal/selectors";
import type { LabelSelector } from "pintle/kinds";
import type { ClusterCatalog } from "../api/types.ts";

/** The catalogs that a selector selects, by name. No selector selects all. */
export function selectCatalogs(catalogs: readonly ClusterCatalog[], selector: LabelSelector | undefined): ClusterCatalog[] {
  const matcher = isEmptyLabelSelector(selector) ? undefined : compileLabelSelector(selector);
  return catalogs
    .filter(({ metadata }) => matcher === undefined || matcher.matches(metadata.labels ?? {}))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
