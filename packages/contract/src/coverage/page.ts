import { xml } from './junit.ts'

/** The contrast of every text color with its background is at least 4.5 to 1. */
const STYLE = `
:root { color-scheme: light dark; --text: #1d2327; --soft: #50575e; --ground: #fff; --panel: #f4f6f8; --line: #c3c9cf;
  --good: #0a5c2b; --bad: #a4161a; --open: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #e8ebee; --soft: #b3bac1; --ground: #14181c; --panel: #1f252b;
  --line: #46505a; --good: #7bd59b; --bad: #ff9c9c; --open: #f0c36d; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); max-width: 84rem;
  margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; margin: 1rem 0 .25rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .5rem; }
.verdict { font-weight: 600; font-size: 1.1rem; border-left: .35rem solid currentColor; padding: .4rem .8rem;
  background: var(--panel); margin-top: .75rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { border: 1px solid var(--line); padding: .3rem .55rem; text-align: left; vertical-align: top; }
thead th { background: var(--panel); } tbody th { font-weight: 600; }
td { min-width: 4.5rem; } .figures td:not(:last-child) { white-space: nowrap; } .word { white-space: nowrap; }
td small { display: block; color: var(--soft); }
.covered { color: var(--good); } .failed, .missing { color: var(--bad); font-weight: 600; } .unreachable { color: var(--open); }
.not-applicable { color: var(--soft); }
.not-applicable .word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
td ul { margin: .25rem 0 0; padding-left: 1.1rem; font-weight: 400; color: var(--text); }
.legend span.cell { display: inline-block; margin-right: 1rem; }
.problems li, section > ul li { overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: 0 .75rem; background: var(--ground); }
summary { cursor: pointer; padding: .5rem 0; font-weight: 600; } summary .count { font-weight: 400; color: var(--soft); }
:focus-visible { outline: 3px solid #2271b1; outline-offset: 2px; }
code { font-size: .95em; }
@media print { details { border: 0; } details:not([open])::details-content { content-visibility: visible; } .skip { display: none; } }
`

/** Renders a self-contained HTML page. `title` is plain text; `body` is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${xml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}

/** `text` is HTML. */
export function verdictLine(passed: boolean, text: string): string {
  return `<p class="verdict ${passed ? 'covered' : 'failed'}"><span aria-hidden="true">${passed ? '✓' : '✗'}</span> ${text}</p>`
}
