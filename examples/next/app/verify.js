'use server'

import { isSdkError } from 'identity-service-sdk'
import { redirect } from 'next/navigation'
import { logError, service } from '../service'

/** In a real app, take the customer from your own sign-in, because anyone can fill in a form. */
export async function verify(form) {
  redirect(await hostedPage(String(form.get('customer'))))
}

async function hostedPage(customer) {
  const { PUBLIC_URL = `http://127.0.0.1:${process.env.PORT ?? 3000}` } = process.env
  try {
    const session = await service().client.sessions.create({
      workflow_id: process.env.WORKFLOW_ID ?? 'wf_identity',
      vendor_data: customer,
      redirect_url: `${PUBLIC_URL}/return`,
      callback: `${PUBLIC_URL}/webhooks`,
    })
    return session.url
  } catch (error) {
    if (!isSdkError(error)) throw error
    logError(error)
    return `/unavailable?${new URLSearchParams({ request: error.requestId ?? '' })}`
  }
}
