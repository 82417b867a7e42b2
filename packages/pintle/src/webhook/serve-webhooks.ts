import type { ServeOptions, Serving } from "./serve.ts";

/** Serves webhooks and conversions. The server is loaded now: a program that only defines webhooks never pays for it. */
export async function serveWebhooks(options: ServeOptions): Promise<Serving> {
  const { serve } = await import("./serve.ts");
  return serve(options);
}
