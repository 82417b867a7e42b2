/** Extensions, catalogs, plans and revisions, where lifecycle objects are served. */
import type { JSX } from "preact";
import { useRead } from "../data/use-read.ts";
import { Mark, ObjectLink, Section, STATE_TONES } from "../parts/basics.tsx";

export function LifecycleObjects(): JSX.Element | null {
  const { data } = useRead("/api/lifecycle");
  if (data === undefined || !data.served || data.objects.length === 0) return null;
  return (
    <Section title="Extensions, plans and revisions">
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Lifecycle objects">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Role</th>
              <th scope="col">State</th>
              <th scope="col">Detail</th>
            </tr>
          </thead>
          <tbody>
            {data.objects.map((object) => (
              <tr key={object.path}>
                <th scope="row">
                  <ObjectLink path={object.path}>{object.name}</ObjectLink>
                </th>
                <td>{object.role}</td>
                <td>
                  <Mark tone={STATE_TONES[object.state]}>{object.stateText}</Mark>
                </td>
                <td class="wrap">{object.detail}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
