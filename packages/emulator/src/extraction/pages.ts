import { bodyReply, type Reply } from '../core/reply.ts'
import type { Page, PageCall } from '../core/service.ts'
import type { ExtractionContext } from './state.ts'
import { drawPage } from './document/png.ts'
import { reviewReason } from './views.ts'
import type { DeviceAuthorization, DeviceState, Job } from './model.ts'
import { messageOf } from './denials.ts'
import { html, htmlReply } from '../core/html.ts'

/** The content type of the file at text_url. The documentation doesn't specify this type. */
const TEXT_TYPE = 'text/markdown; charset=utf-8'

/** Creates the pages and files that the service's responses link to. Requests for them need no API key. */
export function extractionPages(context: ExtractionContext): Page[] {
  return [...devicePages(context), ...filePages(context)]
}

function devicePages({ choices, devices }: ExtractionContext): Page[] {
  const path = choices.paths.device
  const show = (authorization: DeviceAuthorization | undefined): Reply =>
    authorization
      ? showAuthorization(
          authorization,
          devices.stateOf(authorization),
          authorization.agentName ?? 'Unknown agent',
        )
      : askForCode('This code does not exist.')
  return [
    {
      name: 'page:device',
      method: 'GET',
      path,
      handle({ query }) {
        const userCode = query.get('user_code')
        return userCode === null ? askForCode() : show(devices.byUserCode(userCode))
      },
    },
    {
      name: 'page:device-decision',
      method: 'POST',
      path,
      handle({ form }) {
        const authorization = devices.byUserCode(form.get('user_code') ?? '')
        const decision = form.get('decision')
        const isPending = authorization && devices.stateOf(authorization) === 'pending'
        if (isPending && (decision === 'approve' || decision === 'deny'))
          devices.decide(authorization.userCode, decision === 'approve' ? 'approved' : 'denied')
        return show(authorization)
      },
    },
  ]
}

function filePages({ choices, jobs }: ExtractionContext): Page[] {
  const { paths } = choices
  const withJob =
    (show: (job: Job, parameters: PageCall['parameters']) => Reply | undefined) =>
    ({ parameters }: PageCall): Reply => {
      const job = jobs.previewed(parameters['token'] ?? '')
      const message = () => messageOf(choices, 'preview-not-found')
      return (job && show(job, parameters)) ?? htmlReply(404, 'Not found', html`<p>${message()}</p>`)
    }
  return [
    {
      name: 'page:preview',
      method: 'GET',
      path: paths.preview,
      handle: withJob((job) => htmlReply(200, job.fileName, previewHtml(job))),
    },
    {
      name: 'page:text',
      method: 'GET',
      path: paths.text,
      handle: withJob((job) => bodyReply(200, TEXT_TYPE, job.text)),
    },
    {
      name: 'page:image',
      method: 'GET',
      path: paths.image,
      handle: withJob((job, parameters) => {
        const page = job.pages.find(({ number }) => String(number) === parameters['page'])
        if (!page || !job.includeImages) return undefined
        return bodyReply(200, 'image/png', jobs.pictureOf(job) ?? drawPage(page))
      }),
    },
  ]
}

function showAuthorization({ userCode }: DeviceAuthorization, state: DeviceState, agent: string): Reply {
  const words: Record<DeviceState, string> = {
    pending: '',
    approved: `${agent} will receive an API key. You can close this page.`,
    delivered: `${agent} has received its API key. You can close this page.`,
    denied: `${agent} was denied an API key. You can close this page.`,
    expired: 'This code has expired. Request a new code.',
  }
  const form = html`<p><b>${agent}</b> requests an API key. The code is <b>${userCode}</b>.</p>
    <form method="post">
      <input type="hidden" name="user_code" value="${userCode}" />
      <button name="decision" value="approve">Approve</button>
      <button name="decision" value="deny">Deny</button>
    </form>`
  return htmlReply(200, 'Approve an agent', state === 'pending' ? form : html`<p>${words[state]}</p>`)
}

function askForCode(problem = ''): Reply {
  return htmlReply(
    problem === '' ? 200 : 404,
    'Enter the code',
    html`<p>${problem}</p>
      <form method="get">
        <label>Code <input name="user_code" autofocus /></label> <button>Continue</button>
      </form>`,
  )
}

function previewHtml(job: Job): string {
  const fields = Object.entries(job.found?.fields ?? {}).map(
    ([name, entry]) =>
      html`<tr>
        <td>${name}</td>
        <td>${JSON.stringify(entry.value)}</td>
        <td>${entry.hil_flag ? (entry.reason ?? 'review') : ''}</td>
      </tr>`,
  )
  const pages = job.pages.map(
    (page) =>
      html`<h2>Page ${String(page.number)}</h2>
        <p>${reviewReason(job, page) ?? ''}</p>
        <pre>${page.text}</pre>`,
  )
  return `<table>${fields.join('')}</table>${pages.join('')}`
}
