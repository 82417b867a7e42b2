/** What a proxy's path names: `name`, `name:port`, `scheme:name:port` or `scheme:name:`. */
export interface ProxyPlace {
  readonly scheme: "http" | "https";
  readonly name: string;
  /** A number or a port's name; empty: whichever there is. */
  readonly port: string;
}

export function proxyPlace(asked: string): ProxyPlace {
  const parts = asked.split(":");
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 3) return { scheme: first === "https" ? "https" : "http", name: second, port: third };
  return { scheme: "http", name: first, port: second };
}
