/** Filters whose values are in the URL. */
import type { ComponentChildren, JSX } from "preact";
import { go, here, location } from "../app/router.ts";

interface FilterInputProps {
  readonly label: string;
  /** The query parameter. */
  readonly name: string;
  readonly placeholder?: string;
}

export function FilterInput({ label, name, placeholder = "Filter" }: FilterInputProps): JSX.Element {
  return (
    <input
      type="search"
      class="filter"
      aria-label={label}
      placeholder={`${placeholder}   /`}
      value={location.value.query[name] ?? ""}
      onInput={(event) => go(here({ [name]: event.currentTarget.value }), true)}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

interface FilterSelectProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** The first option is the default and not in the URL. */
export function FilterSelect({ label, name, options }: FilterSelectProps): JSX.Element {
  const value = location.value.query[name] ?? "";
  const known = options.some(([each]) => each === value);
  return (
    <label class="field-inline">
      <span class="muted">{label}</span>
      <select value={value} onChange={(event) => go(here({ [name]: event.currentTarget.value }), true)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
        {!known && <option value={value}>{value}</option>}
      </select>
    </label>
  );
}

interface ToggleProps {
  readonly pressed: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function Toggle({ pressed, onClick, children }: ToggleProps): JSX.Element {
  return (
    <button type="button" class="toggle" aria-pressed={pressed} onClick={onClick}>
      {children}
    </button>
  );
}
