# The canary's copies of the sources that plant.py alters. They stand before the libraries when it is linked, so the true
# ones are never taken from them.
set(planted_folder ${CMAKE_CURRENT_BINARY_DIR}/simulation/planted)
set(plant ${CMAKE_CURRENT_LIST_DIR}/plant.py)
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${plant} --sources OUTPUT_VARIABLE altered COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${altered}" altered)
string(REPLACE "\n" ";" altered "${altered}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${plant})
set(planted)
set(originals)
foreach(source ${altered})
  string(REPLACE "/" "_" copy ${source})
  list(APPEND planted ${planted_folder}/${copy})
  list(APPEND originals ${CMAKE_SOURCE_DIR}/${source})
endforeach()
add_custom_command(OUTPUT ${planted} ${planted_folder}/planted_table.h
                   COMMAND Python3::Interpreter -B ${plant} ${CMAKE_SOURCE_DIR} ${planted_folder}
                   DEPENDS ${plant} ${originals} COMMENT "Planting faults for the canary" VERBATIM)
target_sources(test_simulation_canary PRIVATE ${planted} ${planted_folder}/planted_table.h)
target_include_directories(test_simulation_canary PRIVATE ${planted_folder})
