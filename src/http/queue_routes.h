// The routes of job queues. All of them answer when the store does, on whatever thread that is.
#pragma once

#include "http/routes.h"

namespace scoreline::http {

// queue_routes.cpp
void enqueue_jobs(const Call& call, Responder responder);
void take_jobs(const Call& call, Responder responder);
void poll_job(const Call& call, Responder responder);
void poll_due_job(const Call& call, Responder responder);

// lease_routes.cpp: of one job, and of many
void ack_job(const Call& call, Responder responder);
void ack_jobs(const Call& call, Responder responder);
void nack_job(const Call& call, Responder responder);
void nack_jobs(const Call& call, Responder responder);
void extend_job(const Call& call, Responder responder);
void extend_jobs(const Call& call, Responder responder);
void release_job(const Call& call, Responder responder);
void release_jobs(const Call& call, Responder responder);

// queue_operating_routes.cpp
void list_queues(const Call& call, Responder responder);
void show_queue(const Call& call, Responder responder);
void put_queue(const Call& call, Responder responder);
void pause_queue(const Call& call, Responder responder);
void resume_queue(const Call& call, Responder responder);
void purge_queue(const Call& call, Responder responder);
void retry_dead_jobs(const Call& call, Responder responder);
void retry_dead_job(const Call& call, Responder responder);
void list_jobs(const Call& call, Responder responder);
void show_job(const Call& call, Responder responder);
void remove_job(const Call& call, Responder responder);
void peek_job(const Call& call, Responder responder);
void list_schedules(const Call& call, Responder responder);
void put_schedule(const Call& call, Responder responder);
void drop_schedule(const Call& call, Responder responder);

}  // namespace scoreline::http
