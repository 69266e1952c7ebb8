import { PHASE_NAMES, PHASES, type JobPhase } from '../jobs/model.ts'
import type { BatchStatus, FleetStatus } from './status.ts'
import { costOf, paceOf, spanOf } from './words.ts'

const COLORS: Readonly<Record<JobPhase, string>> = {
  queued: '#c9ced6',
  submitting: '#8fb3e8',
  waiting: '#5b8def',
  storing: '#3f6fd1',
  done: '#2e9e5b',
  failed: '#d9483b',
  denied: '#e07a5f',
  unstored: '#b8458f',
  expired: '#9a6a3a',
  uncertain: '#e0a100',
  cancelled: '#7d8590',
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin-bottom: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p, dl { margin: .3rem 0 } .quiet { color: color-mix(in srgb, currentColor 65%, transparent) }
.bar { display: flex; height: 1rem; border-radius: .5rem; overflow: hidden; background: #8883; margin: .5rem 0 }
.bar i { min-width: 2px }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; margin: .3rem 0 }
.key i { display: inline-block; width: .7rem; height: .7rem; border-radius: .2rem; margin-right: .4rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884 }
td { overflow-wrap: break-word } td:first-child { min-width: 8rem } td:nth-child(2), td:nth-child(3) { white-space: nowrap }
`

/** Renders a status as a single HTML page that needs no scripts, fonts or other files. */
export function toHtml(status: FleetStatus): string {
  const { schema, atMs, batches, services, workers, attention, orphans } = status
  const paused = services.filter(({ pausedMs }) => pausedMs !== undefined)
  const parts = [
    `<h1>Fleet ${escape(schema)}</h1>`,
    `<p class="quiet">${new Date(atMs).toISOString().replace('T', ' ').slice(0, 19)} UTC</p>`,
    ...paused.map(
      ({ service, pausedMs = 0, pauseReason = '' }) =>
        `<p><strong>${escape(service)} is paused</strong> for another ${spanOf(pausedMs)}: ${escape(pauseReason)}</p>`,
    ),
    ...batches.map(batchPart),
    ...(batches.length === 0 ? ['<p>No batches.</p>'] : []),
    ...table(
      'Needs attention',
      ['Job', 'Phase', 'Since', 'Reason', 'ID from the service'],
      attention.map(({ job, phase, sinceMs, reason = '', id = '' }) => [
        job,
        PHASE_NAMES[phase],
        spanOf(sinceMs),
        reason,
        id,
      ]),
    ),
    ...table(
      'Accepted by the service, but no longer awaited',
      ['Job', 'ID from the service'],
      orphans.map(({ job, id }) => [job, id]),
    ),
    ...table(
      'Workers',
      ['Name', 'Uptime', 'Last seen', 'Jobs in progress', 'Jobs finished'],
      workers.map(({ name, startedMsAgo, seenMsAgo, holds, done }) => [
        name,
        spanOf(startedMsAgo),
        `${spanOf(seenMsAgo)} ago`,
        String(holds),
        String(done),
      ]),
    ),
  ]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fleet ${escape(schema)}</title>
<style>${STYLE}</style>
<body>
${parts.join('\n')}
</body>
</html>
`
}

function batchPart(batch: BatchStatus): string {
  const { service, total, phases, cost } = batch
  const shown = PHASES.filter((phase) => phases[phase] > 0)
  const name = escape(`${service}/${batch.batch}`)
  return `<h2>${name}</h2>
<p>${phases.done} of ${total} done. ${escape(paceOf(batch))}.</p>
<div class="bar" role="img" aria-label="${phases.done} of ${total} done">${shown
    .map((phase) => `<i style="flex:${phases[phase]};background:${COLORS[phase]}"></i>`)
    .join('')}</div>
<ul class="key">${shown
    .map(
      (phase) => `<li><i style="background:${COLORS[phase]}"></i>${phases[phase]} ${PHASE_NAMES[phase]}</li>`,
    )
    .join('')}</ul>
<p class="quiet">Estimated cost of submitted requests: ${escape(costOf(cost.submitted))}; of all requests: ${escape(costOf(cost.all))}.</p>`
}

function table(title: string, names: readonly string[], lines: readonly (readonly string[])[]): string[] {
  if (lines.length === 0) return []
  const cells = (values: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${values.map((value) => `<${tag}>${escape(value)}</${tag}>`).join('')}</tr>`
  return [
    `<h2>${escape(title)}</h2>`,
    `<table>${cells(names, 'th')}\n${lines.map((line) => cells(line, 'td')).join('\n')}</table>`,
  ]
}

/** Escapes a string for HTML. The reasons for pauses and failures come from services, and can contain any text. */
function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
}
