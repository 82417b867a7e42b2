/** An error or a warning about a bundle, in the words of the operator framework. */
export interface BundleFinding {
  readonly level: "error" | "warning";
  readonly message: string;
}

/** The text of an error of the operator framework: the value that is wrong, if there is one, and what is wrong with it. */
export function describeFinding(level: BundleFinding["level"], detail: string, value?: string): BundleFinding {
  const shown = level === "error" ? "Error" : "Warning";
  return { level, message: `${shown}: ${value === undefined ? "" : `Value ${value}`}: ${detail}` };
}

/** About the ClusterServiceVersion with this name. */
export function describeCsvFinding(level: BundleFinding["level"], name: string, detail: string): BundleFinding {
  return describeFinding(level, `(${name}) ${detail}`, "");
}
