/**
 * The console of an operator in production: HTTPS, read-only, and by the rights of the viewer.
 *
 * In: a manager, through `run({ console: consolePage(...) })`. Out: the page and the reading routes. Who asks is decided by a TokenReview or a client certificate;
 * what is shown by a SubjectAccessReview for that user on every object. `viewer-source.ts` is what one viewer may see.
 */
export { type ConsolePageOptions, consolePage } from "./console-page.ts";
