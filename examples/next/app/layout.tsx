import type { Metadata } from 'next'

export const metadata: Metadata = { title: 'Verification' }

export default function Layout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
