/** The target in a proxy path: `name`, `name:port`, `scheme:name:port` or `scheme:name:`. */
export interface ProxyTarget {
  readonly scheme: "http" | "https";
  readonly name: string;
  /** A number or a port name; empty selects the default port. */
  readonly port: string;
}

export function parseProxyTarget(text: string): ProxyTarget {
  const parts = text.split(":");
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 3) return { scheme: first === "https" ? "https" : "http", name: second, port: third };
  return { scheme: "http", name: first, port: second };
}
