import { PDFDocument, StandardFonts, type PDFFont, type PDFPage } from 'pdf-lib'

const COLUMNS = [
  { title: 'Description', x: 56 },
  { title: 'Quantity', x: 290 },
  { title: 'Unit price', x: 370 },
  { title: 'Amount', x: 470 },
] as const

const ITEMS = [
  ['A4 paper 80 g, box', '24', '18.40', '441.60'],
  ['Kraft envelopes C5, 500', '6', '27.95', '167.70'],
  ['Archive boxes', '15', '9.35', '140.25'],
  ['Label sheets', '12', '11.20', '134.40'],
  ['Ring binders', '20', '4.65', '93.00'],
  ['Delivery', '1', '84.62', '84.62'],
] as const

const TERMS = [
  'Payment is due within 30 days of the invoice date, without deduction.',
  'Goods stay the property of North Harbour Paper until they are paid for.',
  'Complaints about a delivery are heard within 14 days.',
  'Purchase order: PO-7718',
] as const

/** Draws an invoice of three pages with a real text layer. */
export async function makeInvoice(): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const plain = await document.embedFont(StandardFonts.Helvetica)
  const bold = await document.embedFont(StandardFonts.HelveticaBold)
  document.setTitle('Invoice INV-2041')
  document.setCreator('examples/documents/make-documents.ts')

  const first = writer(document.addPage([595, 842]), plain, bold)
  first.heading('Invoice')
  first.line('Supplier name: North Harbour Paper')
  first.line('Supplier VAT number: XX0012345B01')
  first.gap()
  first.line('Invoice number: INV-2041')
  first.line('Invoice date: 14 March 2026')
  first.line('Due date: 2026-04-13')
  first.line('Purchase order: PO-7781')
  first.line('Currency: EUR')
  first.gap()
  first.table(ITEMS.slice(0, 3))

  const second = writer(document.addPage([595, 842]), plain, bold)
  second.heading('Invoice, continued')
  second.table(ITEMS.slice(3))
  second.gap()
  second.row(['Subtotal', '', '', '1,061.57'])
  second.row(['VAT 21 %', '', '', '222.93'])
  second.row(['Total', '', '', '1,284.50'], bold)

  const third = writer(document.addPage([595, 842]), plain, bold)
  third.heading('Terms')
  for (const term of TERMS) third.line(term)

  return document.save({ useObjectStreams: false })
}

/** Returns functions that write on a page from top to bottom. */
function writer(page: PDFPage, plain: PDFFont, bold: PDFFont) {
  let y = 770
  const text = (words: string, x: number, font: PDFFont, size: number) =>
    page.drawText(words, { x, y, font, size })
  const row = (cells: readonly string[], font = plain) => {
    for (const [index, { x }] of COLUMNS.entries()) {
      const cell = cells[index] ?? ''
      if (cell !== '') text(cell, x, font, 11)
    }
    y -= 18
  }
  return {
    row,
    heading(words: string) {
      text(words, 56, bold, 20)
      y -= 44
    },
    line(words: string) {
      text(words, 56, plain, 11)
      y -= 18
    },
    gap() {
      y -= 24
    },
    table(items: readonly (readonly string[])[]) {
      row(
        COLUMNS.map(({ title }) => title),
        bold,
      )
      for (const item of items) row(item)
    },
  }
}
