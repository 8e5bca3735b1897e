/** The sections of a loop in Markdown, and where each stands in the grammar. */

export interface Section {
  readonly title: string;
  /** Where its content stands; for a section of the 0.3 grammar its old key, which is moved like any other. */
  readonly path: readonly string[];
  readonly entries?: {
    /** The member that an entry's heading states; `on.type` is the type within `on`. */
    readonly heading: string;
    /** The member of the section that lists the entries; absent when the section is the list. */
    readonly list?: string;
  };
}

/** In the order of writing. */
export const SECTIONS: readonly Section[] = [
  { title: "Background", path: ["intent", "background"], entries: { heading: "key" } },
  { title: "Prerequisites", path: ["intent", "prerequisites"], entries: { heading: "step" } },
  { title: "Goals", path: ["intent", "goals"], entries: { heading: "name" } },
  { title: "Success", path: ["intent", "success"], entries: { heading: "name" } },
  { title: "Graph", path: ["execution", "graph"], entries: { heading: "id", list: "nodes" } },
  { title: "Providers", path: ["execution", "providers"], entries: { heading: "id", list: "providers" } },
  { title: "Phases", path: ["execution", "phases"], entries: { heading: "name", list: "items" } },
  { title: "Default skills", path: ["execution", "default_skills"], entries: { heading: "name" } },
  { title: "Skills", path: ["execution", "skills"] },
  { title: "Memory", path: ["execution", "memory"] },
  { title: "Triggers", path: ["execution", "triggers"], entries: { heading: "on.type", list: "triggers" } },
  { title: "Checks", path: ["safety", "checks"], entries: { heading: "name" } },
  { title: "Gates", path: ["safety", "gates"] },
  { title: "Limits", path: ["safety", "limits"] },
  { title: "Recovery", path: ["safety", "recovery"] },
  { title: "Protected", path: ["safety", "protected"] },
  { title: "Alerts", path: ["safety", "alerts"], entries: { heading: "id" } },
  { title: "Evolution", path: ["evolution"] },
];

/** Read, never written. */
const OLD_SECTIONS: readonly Section[] = [
  { title: "Information", path: ["information"], entries: { heading: "key" } },
  { title: "Pre-execution", path: ["pre_execution"], entries: { heading: "step" } },
  { title: "Validations", path: ["validations"], entries: { heading: "name" } },
  { title: "Stop gates", path: ["stop_gates"] },
  { title: "Schedules", path: ["schedules"], entries: { heading: "type" } },
  { title: "Constraints", path: ["constraints"] },
  {
    title: "Execution guidelines",
    path: ["execution_guidelines"],
    entries: { heading: "name", list: "items" },
  },
  { title: "Context", path: ["context"] },
];

export const KNOWN_SECTIONS: ReadonlyMap<string, Section> = new Map(
  [...SECTIONS, ...OLD_SECTIONS].map((section) => [sectionKey(section.title), section]),
);

/** "C. Stop gates" and "stop-gates" are the same section. */
export function sectionKey(title: string): string {
  return title
    .replace(/^[A-Za-z0-9]{1,2}[.)-]\s*/, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}
