import { cryptoModule } from "../hash.ts";

export interface PageParts {
  readonly title: string;
  /** Already HTML; texts from elsewhere go through `escapeHtml`. */
  readonly body: string;
  readonly style?: string;
  readonly script?: string;
}

/** A page in one file: it asks no server for anything, and no script but the given one runs in it. */
export function htmlPage({ title, body, style = "", script = "" }: PageParts): string {
  const hash = cryptoModule().createHash("sha256").update(script).digest("base64");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'">
<style>${STYLE}${style}</style></head>
<body>
${body}
<script>${script}</script></body></html>
`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

const STYLE = `
:root{--ink:#111827;--paper:#fff;--soft:#6b7280;--line:#e5e7eb;--fill:#2563eb;--pale:#f3f4f6}
@media(prefers-color-scheme:dark){:root{--ink:#f3f4f6;--paper:#111827;--soft:#9ca3af;--line:#374151;--fill:#60a5fa;--pale:#1f2937}}
body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}small,.soft{color:var(--soft)}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid var(--fill)}
th[aria-sort=ascending] button::after{content:" ▲"/""}th[aria-sort=descending] button::after{content:" ▼"/""}
`;
