import { bodyReply, type Reply } from '../core/reply.ts'
import type { Page } from '../core/service.ts'
import type { ExtractionContext } from './context.ts'
import { isPreviewable } from './handlers/documents.ts'
import { reviewReason } from './job-views.ts'
import type { DeviceAuthorization, Job } from './model.ts'
import { refusalMessage } from './refusals.ts'
import { escapeHtml, html, htmlPage } from '../core/html.ts'

/** What faults call the pages. */
export const PAGE_NAMES = [
  'page:device',
  'page:device-decision',
  'page:preview',
  'page:text',
  'page:image',
] as const

/** The content type of the text behind text_url: the emulator's own. */
const TEXT_TYPE = 'text/markdown; charset=utf-8'

/** The pages and files that links in answers lead to. None of them needs a key. */
export function extractionPages(context: ExtractionContext): Page[] {
  const { choices, jobs, devices } = context
  const previewed = (token: string | undefined): Job | undefined => {
    const job = jobs.byPreviewToken(token ?? '')
    return job && isPreviewable(job, choices.results.previewBeforeCompletion) ? job : undefined
  }

  return [
    {
      name: 'page:device',
      method: 'GET',
      path: choices.paths.device,
      handle({ query }) {
        const userCode = query.get(choices.paths.deviceQuery)
        if (userCode === null) return askForCode(choices.paths.deviceQuery)
        const authorization = devices.byUserCode(userCode)
        return authorization
          ? showAuthorization(authorization)
          : askForCode(choices.paths.deviceQuery, 'There is no such code.')
      },
    },
    {
      name: 'page:device-decision',
      method: 'POST',
      path: choices.paths.device,
      handle({ form }) {
        const authorization = devices.byUserCode(form.get('user_code') ?? '')
        if (!authorization) return askForCode(choices.paths.deviceQuery, 'There is no such code.')
        const decision = form.get('decision')
        if (devices.stateOf(authorization) === 'pending' && (decision === 'approve' || decision === 'deny'))
          devices.decide(authorization.userCode, decision === 'approve' ? 'approved' : 'denied')
        return showAuthorization(authorization)
      },
    },
    {
      name: 'page:preview',
      method: 'GET',
      path: choices.paths.preview,
      handle({ parameters }) {
        const job = previewed(parameters['token'])
        return job ? htmlReply(200, job.fileName, previewHtml(job)) : notFound()
      },
    },
    {
      name: 'page:text',
      method: 'GET',
      path: choices.paths.text,
      handle({ parameters }) {
        const job = previewed(parameters['token'])
        return job ? bodyReply(200, TEXT_TYPE, job.text) : notFound()
      },
    },
    {
      name: 'page:image',
      method: 'GET',
      path: choices.paths.image,
      handle({ parameters }) {
        const job = previewed(parameters['token'])
        const page = job?.includeImages
          ? job.pages.find(({ number }) => String(number) === parameters['page'])
          : undefined
        if (!job || !page) return notFound()
        return bodyReply(200, 'image/png', jobs.pictureOf(job) ?? choices.drawPage(page))
      },
    },
  ]

  function showAuthorization(authorization: DeviceAuthorization): Reply {
    const agent = authorization.agentName ?? choices.device.unknownAgentLabel
    const { userCode } = authorization
    const state = devices.stateOf(authorization)
    const words: Record<typeof state, string> = {
      pending: '',
      approved: `${agent} gets an API key. You can close this page.`,
      delivered: `${agent} has its API key. You can close this page.`,
      denied: `${agent} gets no API key. You can close this page.`,
      expired: 'This code has expired. Ask for a new one.',
    }
    const form = html`<p><b>${agent}</b> asks for an API key. The code is <b>${userCode}</b>.</p>
      <form method="post">
        <input type="hidden" name="user_code" value="${userCode}" />
        <button name="decision" value="approve">Approve</button>
        <button name="decision" value="deny">Deny</button>
      </form>`
    return htmlReply(200, 'Approve an agent', state === 'pending' ? form : html`<p>${words[state]}</p>`)
  }

  function notFound(): Reply {
    return htmlReply(404, 'Not found', html`<p>${refusalMessage(choices, 'preview-not-found')}</p>`)
  }
}

function askForCode(queryName: string, problem = ''): Reply {
  return htmlReply(
    problem === '' ? 200 : 404,
    'Enter the code',
    html`<p>${problem}</p>
      <form method="get">
        <label>Code <input name="${queryName}" autofocus /></label> <button>Go on</button>
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

function htmlReply(status: number, title: string, body: string): Reply {
  return bodyReply(status, 'text/html; charset=utf-8', htmlPage(escapeHtml(title), body))
}
