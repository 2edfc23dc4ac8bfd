#pragma once

#include <span>

#include "http/routes.h"

namespace scoreline::app {

/// The page of web/, embedded by cmake/embed_web.cmake: no file is looked up while serving.
std::span<const http::StaticFile> web_files();

}  // namespace scoreline::app
