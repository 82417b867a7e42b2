/**
 * Errors of the API: Status objects, field errors and their exact texts. Everything that refuses a request throws an `ApiError` from
 * here; the request pipeline turns it into the response.
 */
export * from "./api-error.ts";
export * from "./field-error.ts";
export * from "./name-validation.ts";
